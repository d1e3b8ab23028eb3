// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Decides whether an installation that is not in memory may be removed because it is unused.
struct InstallationIdleness: Sendable {
    /// The facts of an installation on disk.
    struct Facts: Sendable, Hashable {
        /// The last time that something was done, in milliseconds since 1970.
        var lastUse: Int64
        /// True if its record is the only place that knows that the visitor has opted out.
        var isOptedOut = false
        /// True if data of it waits to be sent, or a change of it is not finished.
        var waits = false
        /// True if an earlier process has left a session open whose end is not logged.
        var hasOpenSession = false
    }

    /// The verdict.
    enum Verdict: Sendable, Hashable {
        case keep
        /// Log the end of its session; it may be removed once that is delivered.
        case endSession
        case remove
    }

    /// The moment since which nothing was done, in milliseconds since 1970.
    let since: Int64

    /// Before this no clock was right; in milliseconds since 1970: 2020-01-01.
    ///
    /// A machine may start in 1970 or 2000, until it has asked for the time.
    static let earliest: Int64 = 1_577_836_800_000

    /// Returns the verdict.
    ///
    /// A use in the future, from a clock that was wrong, is one of now.
    func verdict(_ facts: Facts) -> Verdict {
        guard self.isIdle(since: facts.lastUse), !facts.isOptedOut, !facts.waits else { return .keep }
        return facts.hasOpenSession ? .endSession : .remove
    }

    /// True if the last use was before the time; what waits is asked only then.
    func isIdle(since lastUse: Int64) -> Bool {
        lastUse < self.since
    }
}

extension IdentityState {
    /// The last time of which the record knows, in milliseconds since 1970.
    var lastUse: Int64 {
        self.directory.entries.values.reduce(max(self.directory.createdAt, self.directory.vacantSince ?? 0)) {
            max($0, $1.firstSeen, $1.lastSeen)
        }
    }
}

extension SessionRecord {
    /// The last event of a session, in milliseconds since 1970; nil without a session.
    var lastUse: Int64? {
        let previous = self.previous.map { $0.start.addingReportingOverflow(max(0, $0.length)).partialValue }
        return [previous, self.open?.lastMilliseconds].compactMap { $0 }.max()
    }
}
