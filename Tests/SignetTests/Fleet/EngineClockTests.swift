// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite("The clock of the store's database") struct EngineClockTests {
    private var clock = EngineClock()

    private static let start: Int64 = 1_800_000_000_000

    @Test func nothingIsKnownBeforeTheFirstAnswer() {
        #expect(self.clock.milliseconds(at: .seconds(1)) == nil)
        #expect(self.clock.offset(of: 0, at: .zero) == nil)
    }

    @Test mutating func theTimeLiesBetweenQuestionAndAnswer() throws {
        self.clock.note(Self.start, sent: .seconds(10), received: .seconds(10) + .milliseconds(20))
        let time = try #require(self.clock.milliseconds(at: .seconds(15)))
        #expect((Self.start + 4979...Self.start + 5001).contains(time))
    }

    @Test mutating func theFastestAnswerIsTheMostExact() throws {
        self.clock.note(Self.start, sent: .seconds(10), received: .seconds(12))
        self.clock.note(Self.start + 3000, sent: .seconds(13), received: .seconds(13) + .milliseconds(2))
        self.clock.note(Self.start + 4000, sent: .seconds(14), received: .seconds(15))
        let time = try #require(self.clock.milliseconds(at: .seconds(20)))
        #expect(abs(time - (Self.start + 10_000)) <= 3)
    }

    @Test mutating func anAnswerCountsForAMinute() throws {
        self.clock.note(Self.start, sent: .seconds(1), received: .seconds(1) + .milliseconds(1))
        // The clocks have drifted by 8 ms meanwhile, which contradicts nothing.
        self.clock.note(Self.start + 59_008, sent: .seconds(60), received: .seconds(60) + .milliseconds(40))
        #expect(try #require(self.clock.milliseconds(at: .seconds(60))) <= Self.start + 59_001)
        self.clock.note(Self.start + 61_048, sent: .seconds(62), received: .seconds(62) + .milliseconds(80))
        #expect(try #require(self.clock.milliseconds(at: .seconds(62))) >= Self.start + 61_006)
    }

    @Test(arguments: [3_600_000, -3_600_000] as [Int64])
    mutating func aClockThatWasSetIsBelieved(by jump: Int64) throws {
        self.clock.note(Self.start, sent: .seconds(1), received: .seconds(1) + .milliseconds(1))
        self.clock.note(Self.start + 1000 + jump, sent: .seconds(2), received: .seconds(2) + .milliseconds(300))
        let time = try #require(self.clock.milliseconds(at: .seconds(2)))
        #expect(abs(time - (Self.start + 1000 + jump)) <= 160)
    }

    @Test mutating func anAnswerThatWasOvertakenChangesNothing() throws {
        self.clock.note(Self.start + 3_600_000, sent: .seconds(2), received: .seconds(2) + .milliseconds(1))
        // Sent before the clock was set, and received after.
        self.clock.note(Self.start, sent: .seconds(1), received: .seconds(3))
        #expect(abs(try #require(self.clock.milliseconds(at: .seconds(2))) - (Self.start + 3_600_000)) <= 2)
    }

    @Test(arguments: [0, 900, -900, 3_600_000, -3_600_000] as [Int64])
    mutating func theOffsetOfAWallClockLiesWithinWhatIsKnown(_ offset: Int64) throws {
        self.clock.note(Self.start, sent: .zero, received: .milliseconds(10))
        let found = try #require(self.clock.offset(of: Self.start + offset, at: .milliseconds(10)))
        #expect(found.contains(offset) && found.contains(offset - 10) && found.upperBound - found.lowerBound == 12)
    }

    @Test func anOffsetIsReportedOnceWhenItBeginsAndOnceWhenItEnds() {
        let table: [(ClosedRange<Int64>, ClockOffset.Report?)] = [
            (-1000...1000, nil), (990...1010, nil), (1001...1003, .began(1002)), (5000...5002, nil), (1001...1003, nil),
            // About the tolerance it is not reported again and again.
            (900...902, nil), (501...503, nil), (1500...1502, nil),
            // An answer that took long says too little.
            (-9000...9000, nil), (-500...500, .ended), (0...2, nil), (-9000...9000, nil),
            (-1003 ... -1001, .began(-1002)), (-3_600_000 ... -3_600_000, nil), (0...0, .ended),
        ]
        var offset = ClockOffset()
        for (index, (range, report)) in table.enumerated() {
            #expect(offset.note(range) == report, "row \(index)")
        }
    }

    @Test(arguments: [Int64.min, .max])
    mutating func anImpossibleTimeIsNoTrap(_ milliseconds: Int64) throws {
        self.clock.note(milliseconds, sent: .seconds(1), received: .seconds(2))
        #expect(self.clock.milliseconds(at: .seconds(3)) == nil)
        self.clock.note(Self.start, sent: .seconds(1), received: .seconds(2))
        let found = try #require(self.clock.offset(of: milliseconds, at: .seconds(3)))
        var offset = ClockOffset()
        #expect(offset.note(found) != nil)
    }
}
