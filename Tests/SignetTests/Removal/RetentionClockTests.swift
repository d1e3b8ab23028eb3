// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

private let day: Int64 = 86_400_000
private let hour: Int64 = 3_600_000
private let now: Int64 = 1_800_000_000_000
private let retention = Duration.seconds(400 * 86_400)

/// Whether the wall clock may be believed: each way to begin with each way that the clock goes.
@Suite struct RetentionClockTests {
    private typealias Mark = RetentionClock.Mark

    private func clock(after mark: Mark? = nil, keeping time: Duration = retention) -> RetentionClock {
        RetentionClock(after: mark, uptime: .zero, wall: now, keeping: time)
    }

    /// What a look finds after a time, with the wall clock moved alone.
    private func look(
        _ clock: inout RetentionClock,
        after passed: Int64,
        shiftedBy shift: Int64 = 0
    ) -> RetentionClock.Finding {
        clock.look(uptime: .milliseconds(passed), wall: now + passed + shift)
    }

    @Test func withoutAMarkADayPassesFirst() {
        var clock = self.clock()
        #expect(self.look(&clock, after: 0) == .young)
        #expect(self.look(&clock, after: day - 1) == .young)
        #expect(self.look(&clock, after: day) == .believed)
        #expect(self.look(&clock, after: 300 * day) == .believed)
    }

    /// The begin of the mark, its end, and whether the next process believes its clock at once.
    @Test(
        arguments: [
            (-2 * day, -hour, true), (-2 * day, 0, true), (-2 * day, hour, true), (-2 * day, hour + 1, false),
            (-hour, -hour, false), (-hour, 0, false),
            (-90 * day, -30 * day, true), (-90 * day, -30 * day - 1, false), (-500 * day, -400 * day, false),
            // A process whose clock was ahead, and 1970.
            (300 * day, 400 * day, false), (-now, -now + day, false),
            // No mark has its end before its begin.
            (-day, -2 * day, false),
        ] as [(Int64, Int64, Bool)]
    )
    func anEarlierProcessVouchesIfTheClockHasNotGoneBackNorFarAhead(since: Int64, last: Int64, isBelieved: Bool) {
        var clock = self.clock(after: Mark(since: now + since, last: now + last))
        #expect(self.look(&clock, after: 0) == (isBelieved ? .believed : .young))
        #expect(self.look(&clock, after: day) == .believed)
    }

    @Test(
        arguments: [
            (Duration.seconds(400 * 86_400), 30 * day), (.seconds(100 * 86_400), 10 * day), (.seconds(86_400), day),
            (.seconds(Int64.max), 30 * day),
        ] as [(Duration, Int64)]
    )
    func theBoundIsATenthOfTheRetention(time: Duration, bound: Int64) {
        #expect(RetentionClock.bound(keeping: time) == bound)
        for (excess, isBelieved) in [(Int64(0), true), (1, false)] {
            let last = now - bound - excess
            var clock = self.clock(after: Mark(since: last - 2 * day, last: last), keeping: time)
            #expect(self.look(&clock, after: 0) == (isBelieved ? .believed : .young))
        }
    }

    /// The wall clock moves alone, and back, or stays.
    @Test(arguments: [400 * day, -400 * day, -now, 2 * hour, -2 * hour], [true, false])
    func aJumpEndsTheBeliefForADay(shift: Int64, comesBack: Bool) {
        var clock = self.clock(after: Mark(since: now - 9 * day, last: now))
        #expect(self.look(&clock, after: hour) == .believed)
        #expect(self.look(&clock, after: 2 * hour, shiftedBy: shift) == .jumped(by: shift))
        var stays = shift
        var begin = 2 * hour
        if comesBack {
            (stays, begin) = (0, 3 * hour)
            #expect(self.look(&clock, after: begin) == .jumped(by: -shift))
        }
        #expect(clock.mark.since == now + begin + stays)
        #expect(self.look(&clock, after: begin + day - 1, shiftedBy: stays) == .young)
        #expect(self.look(&clock, after: begin + day, shiftedBy: stays) == .believed)
    }

    @Test(arguments: [RetentionClock.tolerance, -RetentionClock.tolerance]) func aSmallStepIsNoJump(shift: Int64) {
        var clock = self.clock()
        #expect(self.look(&clock, after: 2 * day, shiftedBy: shift) == .believed)
        // Small steps add up.
        let found = self.look(&clock, after: 2 * day, shiftedBy: 2 * shift)
        #expect(found == .jumped(by: 2 * shift))
    }

    @Test func theEndsOfTheClockAreJumps() {
        for end in [Int64.min, .max] {
            var clock = self.clock(after: Mark(since: now - 9 * day, last: now))
            guard case .jumped = clock.look(uptime: .seconds(60), wall: end) else {
                Issue.record("\(end) is believed")
                continue
            }
            #expect(clock.look(uptime: .seconds(120), wall: end) != .believed)
        }
    }

    @Test func aMarkIsReadAsItWasWritten() throws {
        let mark = Mark(since: 5, last: -7)
        #expect(try Mark(decoding: mark.encoded()) == mark)
        #expect(Mark([1, 2, 3]) == nil)
    }
}
