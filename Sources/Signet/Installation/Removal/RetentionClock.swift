// SPDX-License-Identifier: Apache-2.0

/// Decides whether the wall clock may be believed when it says that installations are old.
///
/// A clock that is a year ahead for a moment would remove everything, for good. So a removal begins only once the wall clock has gone
/// a day without a jump. In a process the clock that never jumps tells. Between processes nothing does: there the clock must not
/// have gone back, nor further ahead than ``bound(keeping:)``. So that is the most by which a wrong clock may age an installation.
struct RetentionClock: Sendable {
    /// The trust in the wall clock when it is read.
    enum Finding: Sendable, Hashable {
        /// It has gone a day without a jump.
        case believed
        /// It has not jumped, but a day has not passed.
        case young
        /// It has jumped since the last reading, by this many milliseconds; positive if it went ahead.
        case jumped(by: Int64)
    }

    /// The way that the clock has gone without a jump, for the next process.
    struct Mark: Sendable, Hashable {
        /// The begin, in milliseconds since 1970.
        var since: Int64
        /// The last reading.
        var last: Int64

        /// True if it was a day.
        var isBelieved: Bool { self.last.difference(to: self.since) >= RetentionClock.day }
    }

    private(set) var mark: Mark
    /// The reading from which this process measures.
    private var anchor: (uptime: Duration, wall: Int64)

    private static let day: Int64 = 86_400_000
    /// The least difference that is a jump: retention counts in days.
    static let tolerance: Int64 = 3_600_000

    /// Begins to compare the clocks.
    ///
    /// - Parameters:
    ///   - mark: The mark of an earlier process; nil for none.
    ///   - uptime: The clock that never jumps.
    ///   - wall: The wall clock, in milliseconds since 1970.
    ///   - retention: The time without a use after which installations are removed.
    init(after mark: Mark?, uptime: Duration, wall: Int64, keeping retention: Duration) {
        self.anchor = (uptime, wall)
        self.mark = Mark(since: wall, last: wall)
        guard let mark, mark.since <= mark.last else { return }
        let passed = wall.difference(to: mark.last)
        if (-Self.tolerance...Self.bound(keeping: retention)).contains(passed) { self.mark.since = mark.since }
    }

    /// The most that a clock may go ahead between two processes and still be believed at once, in milliseconds.
    ///
    /// A tenth of the retention, between a day and 30 days: a pause that a deployment makes, and an error that removes nothing
    /// that was used in the last nine tenths. A server that was away for longer waits a day.
    static func bound(keeping retention: Duration) -> Int64 {
        min(max(retention.milliseconds / 10, Self.day), 30 * Self.day)
    }

    /// Reads the clock.
    mutating func look(uptime: Duration, wall: Int64) -> Finding {
        let passed = (uptime - self.anchor.uptime).milliseconds
        let jump = wall.difference(to: self.anchor.wall).difference(to: passed)
        // Quartz is off by a ten thousandth at most.
        guard abs(jump) <= Self.tolerance + passed / 1000 else {
            (self.anchor, self.mark) = ((uptime, wall), Mark(since: wall, last: wall))
            return .jumped(by: jump)
        }
        self.mark.last = max(self.mark.last, wall)
        return self.mark.isBelieved ? .believed : .young
    }
}

extension RetentionClock.Mark: StoredRecord {
    static var subject: String { "the clock of retention" }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("since", self.since)
        encoder.write("last", self.last)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.since = try decoder.read("since")
        self.last = try decoder.read("last")
    }
}

extension Int64 {
    /// The difference to an earlier time, kept away from the ends.
    fileprivate func difference(to earlier: Int64) -> Int64 {
        let (difference, overflow) = self.subtractingReportingOverflow(earlier)
        guard !overflow else { return self < 0 ? .min / 4 : .max / 4 }
        return Swift.min(Swift.max(difference, .min / 4), .max / 4)
    }
}
