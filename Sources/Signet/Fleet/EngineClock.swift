// SPDX-License-Identifier: Apache-2.0

/// Estimates the time of the clock that all replicas share: that of the store's database.
///
/// An answer says the time at some moment between question and answer. Of the last minute, the answer that was there fastest is the
/// most exact. An answer that contradicts it shows that the clock was set, or that another server has taken over: then only the
/// new one counts.
struct EngineClock: Sendable {
    private struct Sample {
        /// The least and the greatest difference between the database's time and uptime, in milliseconds.
        var differences: ClosedRange<Int64>
        var received: Duration

        var width: Int64 {
            self.differences.upperBound - self.differences.lowerBound
        }
    }

    /// The time that an answer counts, because clocks drift.
    private static let lifetime = Duration.seconds(60)
    /// The drift of two good clocks in that time, in milliseconds.
    private static let drift: Int64 = 10
    /// The difference to the process's own wall clock that is reported, in milliseconds.
    static let tolerance: Int64 = 1000

    /// A time beyond this is none, and would not be safe to add to.
    private static let endOfTime: UInt64 = 1 << 60

    private var best: Sample?

    /// Takes in an answer.
    ///
    /// - Parameters:
    ///   - milliseconds: The time that it says, since 1970.
    ///   - sent: The uptime before the question was sent.
    ///   - received: The uptime after the answer.
    mutating func note(_ milliseconds: Int64, sent: Duration, received: Duration) {
        // Rounded down by the database and here: a millisecond more on either side.
        guard milliseconds.magnitude < Self.endOfTime else { return }
        let least = milliseconds - 1 - received.milliseconds
        let greatest = milliseconds + 1 - sent.milliseconds
        guard least <= greatest else { return }
        let sample = Sample(differences: least...greatest, received: received)
        guard let best = self.best, received - best.received < Self.lifetime else { return self.best = sample }
        let known = best.differences.lowerBound - Self.drift...best.differences.upperBound + Self.drift
        // An answer that was overtaken by a later one says nothing about a change.
        let isContradicted = !known.overlaps(sample.differences) && sent >= best.received
        if isContradicted || sample.width <= best.width { self.best = sample }
    }

    /// The time of the database, in milliseconds since 1970; nil before the first answer.
    func milliseconds(at uptime: Duration) -> Int64? {
        guard let best = self.best else { return nil }
        return best.differences.lowerBound + best.width / 2 + uptime.milliseconds
    }

    /// The difference of the process's wall clock to the database's, in milliseconds, if it is worth a report.
    ///
    /// - Parameters:
    ///   - milliseconds: The wall clock.
    ///   - uptime: The uptime at the same moment.
    /// - Returns: The difference; positive if the wall clock is ahead. Nil if it is small or not known.
    func skew(of milliseconds: Int64, at uptime: Duration) -> Int64? {
        guard let best = self.best, let time = self.milliseconds(at: uptime) else { return nil }
        let (skew, overflow) = milliseconds.subtractingReportingOverflow(time)
        guard !overflow else { return milliseconds < time ? .min : .max }
        return skew.magnitude > (Self.tolerance + best.width / 2).magnitude ? skew : nil
    }
}
