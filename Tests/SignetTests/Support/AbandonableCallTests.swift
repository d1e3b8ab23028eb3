// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite(.watched) struct AbandonableCallTests {
    @Test func itsValueIsReturned() async {
        #expect(await AbandonableCall.value { 7 } == 7)
    }

    @Test func oneThatNeverReturnsIsLeftBehindAtTheCancellation() async {
        let deaf = Locked<CheckedContinuation<Int, Never>?>(nil)
        let caller = Task {
            await AbandonableCall.value {
                await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
                    deaf.withLock { $0 = continuation }
                }
            }
        }
        await until("it was called") { deaf.withLock { $0 != nil } }
        caller.cancel()
        #expect(await caller.value == nil)
        deaf.withLock { $0 }?.resume(returning: 7)
    }

    @Test func oneThatHearsItHasEndedBeforeTheCaller() async {
        let clock = ManualClock()
        let time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        let hasEnded = Locked(false)
        let caller = Task {
            await AbandonableCall.value(within: .seconds(1), on: time) {
                _ = await Promise<Void>().value()
                for _ in 0..<10 { await Task.yield() }
                hasEnded.withLock { $0 = true }
            }
        }
        await Task.yield()
        caller.cancel()
        _ = await caller.value
        #expect(hasEnded.withLock { $0 })
    }

    @Test func oneThatDoesNotHearItHasSomeTime() async {
        let clock = ManualClock()
        let time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        let deaf = Locked<CheckedContinuation<Void, Never>?>(nil)
        let hasReturned = Locked(false)
        let caller = Task {
            await AbandonableCall.value(within: .seconds(1), on: time) {
                await withCheckedContinuation { continuation in deaf.withLock { $0 = continuation } }
            }
            hasReturned.withLock { $0 = true }
        }
        await until("it was called") { deaf.withLock { $0 != nil } }
        caller.cancel()
        clock.advance(by: .milliseconds(900))
        for _ in 0..<100 { await Task.yield() }
        #expect(!hasReturned.withLock { $0 })
        await until("it is left behind") {
            clock.advance(by: .milliseconds(100))
            return hasReturned.withLock { $0 }
        }
        deaf.withLock { $0 }?.resume()
        await caller.value
    }

    @Test func itHearsTheCancellation() async {
        let hears = Promise<Bool>()
        let caller = Task {
            await AbandonableCall.value {
                _ = await Promise<Void>().value()
                hears.resolve(Task.isCancelled)
            }
        }
        await Task.yield()
        caller.cancel()
        _ = await caller.value
        #expect(await hears.value() == true)
    }
}
