// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite struct PromiseTests {
    @Test func everyWaiterGetsTheValue() async {
        let promise = Promise<Int>()
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<20 { group.addTask { await promise.value() } }
            promise.resolve(7)
            for await value in group { #expect(value == 7) }
        }
    }

    @Test func onlyTheFirstValueCounts() async {
        let promise = Promise<Int>()
        #expect(promise.resolve(1))
        #expect(!promise.resolve(2))
        #expect(promise.current == 1)
        #expect(await promise.value() == 1)
    }

    @Test func aCancelledWaiterGetsNothingAndTheOthersStillWait() async {
        let promise = Promise<Int>()
        let leaving = Task { await promise.value() }
        let staying = Task { await promise.value() }
        leaving.cancel()
        #expect(await leaving.value == nil)
        promise.resolve(3)
        #expect(await staying.value == 3)
    }

    @Test func aValueThatIsThereIsGivenToACancelledTaskToo() async {
        let promise = Promise<Int>()
        promise.resolve(5)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await promise.value()
        }
        #expect(await task.value == 5)
    }

    @Test func nobodyIsForgottenWhenManyWaitLeaveAndResolveAtOnce() async {
        for _ in 0..<200 {
            let promise = Promise<Int>()
            let leaving = (0..<4).map { _ in Task { await promise.value() } }
            let staying = (0..<4).map { _ in Task { await promise.value() } }
            async let resolved = Task { promise.resolve(1) }.value
            for task in leaving { task.cancel() }
            for task in leaving { #expect([nil, 1].contains(await task.value)) }
            for task in staying { #expect(await task.value == 1) }
            #expect(await resolved)
        }
    }
}
