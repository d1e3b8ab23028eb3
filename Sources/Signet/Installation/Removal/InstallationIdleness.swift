// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Decides whether an installation that is not in memory may be removed because nobody uses it.
struct InstallationIdleness: Sendable {
    /// The facts of an installation on disk.
    struct Facts: Sendable, Hashable {
        /// The last time that something was done, in milliseconds since 1970.
        var lastUse: Int64
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

    /// Returns the verdict.
    func verdict(_ facts: Facts) -> Verdict {
        guard facts.lastUse < self.since, !facts.waits else { return .keep }
        return facts.hasOpenSession ? .endSession : .remove
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
