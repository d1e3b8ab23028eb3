// SPDX-License-Identifier: Apache-2.0

import SignetTesting
import Testing

import struct FoundationEssentials.Date

@Suite struct ManualClockTests {
    // MARK: Time

    @Test func aNewClockStandsAtZeroAndShowsItsStartDate() {
        let clock = ManualClock(startingAt: Date(timeIntervalSince1970: 1_763_596_800))
        #expect(clock.now == ManualClock.Instant(offset: .zero))
        #expect(clock.milliseconds == 1_763_596_800_000)
        #expect(clock.date == Date(timeIntervalSince1970: 1_763_596_800))
        #expect(clock.minimumResolution == .zero)
    }

    @Test func theDefaultStartIsAFixedDay() {
        #expect(ManualClock().milliseconds == 1_700_000_000_000)
    }

    @Test func anyWholeMillisecondSurvivesTheWayThroughADate() {
        for milliseconds in Int64(1_763_596_800_000)..<1_763_596_801_000 {
            let date = ManualClock(startingAtMilliseconds: milliseconds).date
            #expect(ManualClock(startingAt: date).milliseconds == milliseconds)
        }
    }

    @Test func theWallClockMovesWithTheClock() {
        let clock = ManualClock(startingAtMilliseconds: 1000)
        clock.advance(by: .milliseconds(250))
        #expect(clock.now.offset == .milliseconds(250))
        #expect(clock.milliseconds == 1250)
        #expect(clock.date == Date(timeIntervalSince1970: 1.25))
    }

    @Test func partsOfAMillisecondAddUp() {
        let clock = ManualClock(startingAtMilliseconds: 0)
        clock.advance(by: .microseconds(600))
        #expect(clock.milliseconds == 0)
        clock.advance(by: .microseconds(600))
        #expect(clock.milliseconds == 1)
        #expect(clock.now.offset == .microseconds(1200))
    }

    @Test func theWallClockRoundsDownBefore1970Too() {
        let clock = ManualClock(startingAtMilliseconds: 0)
        clock.shiftWallClock(by: .microseconds(-1))
        #expect(clock.milliseconds == -1)
        clock.shiftWallClock(by: .microseconds(-999))
        #expect(clock.milliseconds == -1)
        clock.shiftWallClock(by: .milliseconds(-1999))
        #expect(clock.milliseconds == -2000)
    }

    @Test func aShiftMovesTheWallClockAlone() {
        let clock = ManualClock(startingAtMilliseconds: 10_000)
        clock.shiftWallClock(by: .seconds(-7))
        #expect(clock.milliseconds == 3000)
        #expect(clock.now.offset == .zero)
        clock.shiftWallClock(by: .seconds(9))
        #expect(clock.milliseconds == 12_000)
    }

    @Test func advancingToADateCountsFromWhatTheWallClockShows() {
        let clock = ManualClock(startingAtMilliseconds: 10_000)
        clock.shiftWallClock(by: .seconds(-7))
        clock.advance(to: Date(timeIntervalSince1970: 5))
        #expect(clock.milliseconds == 5000)
        #expect(clock.now.offset == .seconds(2))
        clock.advance(toMilliseconds: 5500)
        #expect(clock.now.offset == .milliseconds(2500))
    }

    @Test func advancingToThePastChangesNothing() {
        let clock = ManualClock(startingAtMilliseconds: 10_000)
        clock.advance(by: .seconds(1))
        clock.advance(toMilliseconds: 9000)
        clock.advance(to: ManualClock.Instant(offset: .milliseconds(1)))
        #expect(clock.now.offset == .seconds(1))
        #expect(clock.milliseconds == 11_000)
    }

    @Test func advancingToAMomentMovesBothClocks() {
        let clock = ManualClock(startingAtMilliseconds: 0)
        clock.advance(to: ManualClock.Instant(offset: .seconds(3)))
        #expect(clock.now.offset == .seconds(3))
        #expect(clock.milliseconds == 3000)
    }

    @Test func advancingByANegativeDurationIsAProgrammingError() async {
        await #expect(processExitsWith: .failure) {
            ManualClock().advance(by: .nanoseconds(-1))
        }
    }

    @Test func momentsKeepTheLawsOfInstants() {
        let first = ManualClock.Instant(offset: .seconds(2))
        let second = first.advanced(by: .seconds(3))
        #expect(second == ManualClock.Instant(offset: .seconds(5)))
        #expect(first.duration(to: second) == .seconds(3))
        #expect(second.duration(to: first) == .seconds(-3))
        #expect(first < second)
        #expect(!(second < first))
        #expect(!(first < first))
    }

    @Test func itServesAsAnyClockOfDurations() async {
        let manual = ManualClock()
        let clock: any Clock<Duration> = manual
        async let slept: Void? = try? clock.sleep(for: .seconds(5))
        await manual.nextSleep()
        #expect(manual.nextDeadline == ManualClock.Instant(offset: .seconds(5)))
        manual.advance(by: .seconds(5))
        #expect(await slept != nil)
    }
}
