// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite struct AsyncSignalTests {
    @Test func aSignalBeforeTheWaitIsNotLost() async {
        let wakeup = AsyncSignal()
        wakeup.signal()
        await wakeup.wait()
    }

    @Test func manySignalsWhileAwakeAreOne() async {
        let clock = ManualClock()
        let wakeup = AsyncSignal()
        wakeup.signal()
        wakeup.signal()
        await wakeup.wait()
        async let second: Void = wakeup.wait(until: .seconds(5), on: .manual(clock))
        await clock.nextSleep()
        clock.advance(by: .seconds(5))
        await second
    }

    @Test func theDeadlineEndsTheWait() async {
        let clock = ManualClock()
        let wakeup = AsyncSignal()
        async let wait: Void = wakeup.wait(until: .seconds(5), on: .manual(clock))
        await clock.nextSleep()
        #expect(clock.nextDeadline?.offset == .seconds(5))
        clock.advance(by: .seconds(5))
        await wait
    }

    @Test func aDeadlineThatHasPassedDoesNotWait() async {
        let clock = ManualClock()
        let time = TimeSource.manual(clock)
        clock.advance(by: .seconds(6))
        await AsyncSignal().wait(until: .seconds(5), on: time)
        #expect(clock.sleepers == 0)
    }

    @Test func aSignalEndsTheWaitBeforeItsDeadlineAndNobodySleepsOn() async {
        let clock = ManualClock()
        let wakeup = AsyncSignal()
        async let wait: Void = wakeup.wait(until: .seconds(5), on: .manual(clock))
        await clock.nextSleep()
        wakeup.signal()
        await wait
        #expect(clock.sleepers == 0)
    }

    @Test(arguments: [nil, Duration.seconds(5)]) func cancellationEndsTheWait(deadline: Duration?) async {
        let wakeup = AsyncSignal()
        let task = Task { await wakeup.wait(until: deadline, on: .manual(ManualClock())) }
        task.cancel()
        await task.value
    }

    @Test func noSignalIsLostBetweenTwoLooks() async {
        let wakeup = AsyncSignal()
        let work = Locked(0)
        let total = 20_000
        let consumer = Task {
            var done = 0
            while done < total {
                done += work.withLock { work in
                    defer { work = 0 }
                    return work
                }
                if done < total { await wakeup.wait() }
            }
            return done
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<total / 4 {
                        work.withLock { $0 += 1 }
                        wakeup.signal()
                    }
                }
            }
        }
        #expect(await consumer.value == total)
    }
}
