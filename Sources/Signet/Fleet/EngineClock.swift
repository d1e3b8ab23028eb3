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
    /// The difference above which the clock was set, in milliseconds.
    private static let tolerance: Int64 = 1000
    /// A time beyond this is none, and would not be safe to add to.
    private static let endOfTime: UInt64 = 1 << 60

    private var best: Sample?
    /// The times at which the clock went ahead.
    private(set) var jumps = ClockJumps()

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
        if let best = self.best, sent >= best.received { self.noteJump(from: best, to: sample, sent: sent) }
        guard let best = self.best, received - best.received < Self.lifetime else { return self.best = sample }
        let known = best.differences.lowerBound - Self.drift...best.differences.upperBound + Self.drift
        // An answer that was overtaken by a later one says nothing about a change.
        let isContradicted = !known.overlaps(sample.differences) && sent >= best.received
        if isContradicted || sample.width <= best.width { self.best = sample }
    }

    /// Notes a jump of the clock by more than a second.
    private mutating func noteJump(from best: Sample, to sample: Sample, sent: Duration) {
        let drift = Self.drift * (1 + (sample.received - best.received).milliseconds / Self.lifetime.milliseconds)
        let allowed = Self.tolerance + drift
        if sample.differences.lowerBound - best.differences.upperBound > allowed {
            let shift = sample.differences.lowerBound + sample.width / 2 - best.differences.lowerBound - best.width / 2
            self.jumps.goAhead(by: shift, after: best.differences.upperBound + sent.milliseconds)
        } else if best.differences.lowerBound - sample.differences.upperBound > allowed {
            self.jumps.goBack()
        }
    }

    /// The time of the database, in milliseconds since 1970; nil before the first answer.
    func milliseconds(at uptime: Duration) -> Int64? {
        guard let best = self.best else { return nil }
        return best.differences.lowerBound + best.width / 2 + uptime.milliseconds
    }

    /// The offset of a wall clock to the database's, in milliseconds, within the bounds of what is known.
    ///
    /// - Parameters:
    ///   - milliseconds: The wall clock.
    ///   - uptime: The uptime at the same moment.
    /// - Returns: The least and the greatest offset; positive if the wall clock is ahead. Nil before the first answer.
    func offset(of milliseconds: Int64, at uptime: Duration) -> ClosedRange<Int64>? {
        guard let best = self.best else { return nil }
        let least = Self.difference(milliseconds, best.differences.upperBound + uptime.milliseconds)
        return least...Self.difference(milliseconds, best.differences.lowerBound + uptime.milliseconds)
    }

    private static func difference(_ milliseconds: Int64, _ other: Int64) -> Int64 {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(other)
        return overflow ? (milliseconds < other ? .min : .max) : difference
    }
}

/// Decides when the offset of a machine's wall clock is reported: once when it begins, and once when it ends.
struct ClockOffset: Sendable {
    /// A report.
    enum Report: Sendable, Hashable {
        /// The clock is off by this, in milliseconds; positive if it is ahead.
        case began(Int64)
        /// It agrees again.
        case ended
    }

    private enum State {
        /// It agrees, as far as it is known. Can transition to `large`.
        case small
        /// Its begin was reported. Can transition to `small`.
        case large
    }

    /// The offset above which it is reported, in milliseconds.
    static let tolerance: Int64 = 1000
    /// The offset up to which it has ended: less, so that one about the tolerance is not reported each second.
    static let end: Int64 = 500

    private var state = State.small

    /// Takes in an offset.
    ///
    /// - Parameter offset: The least and the greatest offset, in milliseconds: only what is certain is reported.
    /// - Returns: The report to make; nil for none.
    mutating func note(_ offset: ClosedRange<Int64>) -> Report? {
        switch self.state {
        case .small:
            guard offset.lowerBound > Self.tolerance || offset.upperBound < -Self.tolerance else { return nil }
            self.state = .large
            return .began(offset.middle)
        case .large:
            guard offset.lowerBound >= -Self.end, offset.upperBound <= Self.end else { return nil }
            self.state = .small
            return .ended
        }
    }
}

extension ClosedRange<Int64> {
    /// The number in the middle.
    var middle: Int64 {
        self.lowerBound &+ (self.upperBound &- self.lowerBound) / 2
    }
}
