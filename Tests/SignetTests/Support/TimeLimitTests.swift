// SPDX-License-Identifier: Apache-2.0

import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite struct TimeLimitTests {
    @Test func aValueInTimeIsReturnedAndNobodySleepsOn() async {
        let clock = ManualClock()
        let value = await withTimeLimit(.seconds(5), on: .manual(clock)) { 7 }
        #expect(value == 7)
        #expect(clock.sleepers == 0)
    }

    @Test func whenTheTimeIsOverTheBodyIsCancelled() async {
        let clock = ManualClock()
        let body = Promise<Int>()
        async let value = withTimeLimit(.seconds(5), on: .manual(clock)) { await body.value() }
        await clock.nextSleep()
        clock.advance(by: .seconds(5))
        #expect(await value == nil)
    }

    /// Many times: the task of the body and that of the limit begin in any order.
    @Test func theLimitCountsFromTheCall() async {
        for _ in 0..<100 {
            let clock = ManualClock()
            let value = await withTimeLimit(.seconds(5), on: .manual(clock)) { () -> Int? in
                clock.advance(by: .seconds(5))
                return await Promise<Int>().value()
            }
            #expect(value == nil)
        }
    }

    @Test func cancellationOfTheCallerCancelsTheBody() async {
        let task = Task {
            await withTimeLimit(.seconds(5), on: .manual(ManualClock())) { await Promise<Int>().value() }
        }
        task.cancel()
        #expect(await task.value == nil)
    }
}
