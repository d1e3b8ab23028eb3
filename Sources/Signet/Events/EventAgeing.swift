//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Decides when to look for events that are too old, and what is too old.
///
/// Ages are told by the wall clock, which may jump. So events are looked at once an hour, and only when that clock has
/// gone, since the last look, as far as the one that never jumps: one that was set to a wrong year, and back within the
/// hour, costs no event. Processes that live for less than an hour look once, after a minute, if an earlier one has seen the
/// clock at most a week before.
struct EventAgeing: Sendable {
    private static let interval = Duration.seconds(3600)
    private static let firstInterval = Duration.seconds(60)
    /// How far apart two processes may be that vouch for each other's clock.
    private static let week: Int64 = 7 * 86_400_000
    /// How far two clocks may drift apart in an hour.
    private static let tolerance: Int64 = 60_000

    /// How long events are kept.
    private let limit: Duration
    private var lookedAt: Duration
    private var wallClock: Int64
    private var isVouchedFor = false

    /// Begins to compare the clocks.
    ///
    /// - Parameters:
    ///   - time: Both clocks.
    ///   - limit: How long events are kept.
    init(_ time: TimeSource, keeping limit: Duration) {
        self.limit = limit
        self.lookedAt = time.uptime
        self.wallClock = time.milliseconds
    }

    /// An earlier process has seen the wall clock.
    ///
    /// - Parameter milliseconds: Where it stood.
    mutating func vouch(_ milliseconds: Int64) {
        let (passed, overflow) = self.wallClock.subtractingReportingOverflow(milliseconds)
        self.isVouchedFor = !overflow && (0...Self.week).contains(passed)
    }

    /// Before which second since 1970 an event was logged that is too old; nil when it is not the time to look.
    ///
    /// An event from the future is young.
    mutating func cutoff(_ time: TimeSource) -> UInt32? {
        let passed = time.uptime - self.lookedAt
        guard passed >= (self.isVouchedFor ? Self.firstInterval : Self.interval) else { return nil }
        self.isVouchedFor = false
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
    /// Kept away from the ends, so that a difference does not overflow.
    fileprivate var clamped: Int64 {
        Swift.min(Swift.max(self, .min / 4), .max / 4)
    }
}
