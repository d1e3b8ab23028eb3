// SPDX-License-Identifier: Apache-2.0

import SignetTesting
import Testing

@Suite struct ManualClockStateTests {
    private typealias State = ManualClockState<String, String>

    private static func instant(_ seconds: Int) -> ManualClock.Instant {
        ManualClock.Instant(offset: .seconds(seconds))
    }

    private static func state(sleeping sleeps: [(name: String, seconds: Int)]) -> State {
        var state = State(startMilliseconds: 0)
        for sleep in sleeps {
            let id = state.announceSleep()
            _ = state.beginSleep(id, until: Self.instant(sleep.seconds), sleep.name)
        }
        return state
    }

    @Test func sleepersWakeInTheOrderOfTheirDeadlines() {
        var state = Self.state(sleeping: [("c", 30), ("a", 10), ("d", 40), ("b", 20), ("e", 41)])
        #expect(state.advance(by: .seconds(40)).due == ["a", "b", "c", "d"])
        #expect(state.sleepers == 1)
        #expect(state.advance(by: .seconds(1)).due == ["e"])
        #expect(state.sleepers == 0)
    }

    @Test func sleepersOfOneDeadlineWakeInTheOrderInWhichTheyFellAsleep() {
        let names = (0..<50).map { "sleeper \($0)" }
        var state = Self.state(sleeping: names.map { ($0, 5) })
        #expect(state.advance(by: .seconds(5)).due == names)
    }

    @Test func nobodyWakesTwice() {
        var state = Self.state(sleeping: [("a", 1)])
        #expect(state.advance(by: .seconds(1)).due == ["a"])
        #expect(state.advance(by: .seconds(1)).due == [])
    }

    @Test func aCancellationBeforeTheSleepWakesAtOnce() {
        var state = State(startMilliseconds: 0)
        let id = state.announceSleep()
        #expect(state.cancelSleep(id).cancelled == nil)
        let wakeUp = state.beginSleep(id, until: Self.instant(1), "a")
        #expect(wakeUp.cancelled == "a")
        #expect(wakeUp.due == [])
        #expect(state.sleepers == 0)
    }

    @Test func aCancellationBeforeASleepWithoutLengthIsACancellation() {
        var state = State(startMilliseconds: 0)
        let id = state.announceSleep()
        _ = state.cancelSleep(id)
        #expect(state.beginSleep(id, until: Self.instant(0), "a").cancelled == "a")
    }

    @Test func aCancellationDuringTheSleepWakesOnce() {
        var state = State(startMilliseconds: 0)
        let id = state.announceSleep()
        _ = state.beginSleep(id, until: Self.instant(1), "a")
        #expect(state.cancelSleep(id).cancelled == "a")
        #expect(state.cancelSleep(id).cancelled == nil)
        #expect(state.advance(by: .seconds(1)).due == [])
    }

    @Test func aCancellationAfterTheSleepDoesNothing() {
        var state = State(startMilliseconds: 0)
        let id = state.announceSleep()
        _ = state.beginSleep(id, until: Self.instant(1), "a")
        #expect(state.advance(by: .seconds(1)).due == ["a"])
        #expect(state.cancelSleep(id).cancelled == nil)
    }

    @Test func watchersAreAnsweredInTheOrderInWhichTheyCame() {
        var state = State(startMilliseconds: 0)
        for name in ["first", "second"] {
            let id = state.announceWatch()
            #expect(state.beginWatch(id, name).watcher == nil)
        }
        for name in ["first", "second", nil] {
            let id = state.announceSleep()
            #expect(state.beginSleep(id, until: Self.instant(9), "sleeper").watcher == name)
        }
        let id = state.announceWatch()
        #expect(state.beginWatch(id, "third").watcher == "third")
        let last = state.announceWatch()
        #expect(state.beginWatch(last, "fourth").watcher == nil)
    }

    @Test func aSleepWithoutLengthAnswersNoWatcher() {
        var state = State(startMilliseconds: 0)
        let watch = state.announceWatch()
        _ = state.beginWatch(watch, "watcher")
        let id = state.announceSleep()
        let wakeUp = state.beginSleep(id, until: Self.instant(0), "a")
        #expect(wakeUp.due == ["a"])
        #expect(wakeUp.watcher == nil)
    }

    @Test func aCancelledWatcherIsAnsweredOnceAndNoMore() {
        var state = State(startMilliseconds: 0)
        let early = state.announceWatch()
        _ = state.cancelWatch(early)
        #expect(state.beginWatch(early, "early").watcher == "early")
        let waiting = state.announceWatch()
        _ = state.beginWatch(waiting, "waiting")
        #expect(state.cancelWatch(waiting).watcher == "waiting")
        let id = state.announceSleep()
        #expect(state.beginSleep(id, until: Self.instant(1), "a").watcher == nil)
    }
}
