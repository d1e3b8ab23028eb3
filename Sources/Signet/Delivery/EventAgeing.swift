// SPDX-License-Identifier: Apache-2.0

/// Decides when to look for events that are too old, and which are too old.
///
/// Ages are measured by the wall clock, which may jump. So events are checked once an hour, and only if that clock has
/// advanced as far since the last check as the one that never jumps. A clock that is set to a wrong year, and back
/// within the hour, costs no event.
///
/// A process that lives for less than an hour checks once, after a minute, if an earlier one has seen the clock at most
/// a week before.
struct EventAgeing: Sendable {
    private static let interval = Duration.seconds(3600)
    private static let firstInterval = Duration.seconds(60)
    /// The most time between two processes that vouch for each other's clock.
    private static let week: Int64 = 7 * 86_400_000
    /// The most that two clocks may drift apart in an hour.
    private static let tolerance: Int64 = 60_000

    /// The time for which events are kept.
    private let limit: Duration
    private var lookedAt: Duration
    private var wallClock: Int64
    /// The time until the next look.
    private var wait = Self.interval

    /// Begins to compare the clocks.
    ///
    /// - Parameters:
    ///   - time: Both clocks.
    ///   - limit: The time for which events are kept.
    init(_ time: TimeSource, keeping limit: Duration) {
        self.limit = limit
        self.lookedAt = time.uptime
        self.wallClock = time.milliseconds
    }

    /// Compares the wall clock with its last value in an earlier process.
    ///
    /// - Parameter milliseconds: That value, milliseconds since 1970.
    mutating func vouch(_ milliseconds: Int64) {
        let (passed, overflow) = self.wallClock.subtractingReportingOverflow(milliseconds)
        self.wait = !overflow && (0...Self.week).contains(passed) ? Self.firstInterval : Self.interval
    }

    /// Returns the second since 1970 before which events are too old; nil if it is not time to look.
    ///
    /// An event from the future is young.
    mutating func cutoff(_ time: TimeSource) -> UInt32? {
        let passed = time.uptime - self.lookedAt
        guard passed >= self.wait else { return nil }
        self.wait = Self.interval
        let now = time.milliseconds
        let (wallPassed, overflow) = now.subtractingReportingOverflow(self.wallClock)
        self.lookedAt = time.uptime
        self.wallClock = now
        guard !overflow, abs(wallPassed.clamped - passed.milliseconds) <= Self.tolerance + passed.milliseconds / 100
        else {
            return nil
        }
        return UInt32(clamping: (now - self.limit.milliseconds) / 1000)
    }
}

extension Int64 {
    /// The value, kept away from the ends, so that a difference does not overflow.
    fileprivate var clamped: Int64 {
        Swift.min(Swift.max(self, .min / 4), .max / 4)
    }
}
