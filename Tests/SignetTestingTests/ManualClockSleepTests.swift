// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import SignetTesting
import Testing

@Suite(.watched) struct ManualClockSleepTests {
    private static func instant(_ seconds: Int) -> ManualClock.Instant {
        ManualClock.Instant(offset: .seconds(seconds))
    }

    // MARK: Waking

    @Test func aDeadlineThatHasComeDoesNotSleep() async throws {
        let clock = ManualClock()
        try await clock.sleep(until: Self.instant(0))
        clock.advance(by: .seconds(2))
        try await clock.sleep(until: Self.instant(2))
        try await clock.sleep(until: Self.instant(1))
        try await clock.sleep(until: Self.instant(-1))
        #expect(clock.sleepers == 0)
    }

    @Test func aSleeperWakesAtItsDeadlineAndNotBefore() async throws {
        let clock = ManualClock()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.sleep(until: Self.instant(60)) }
            await clock.nextSleep()
            #expect(clock.sleepers == 1)
            clock.advance(by: .nanoseconds(59_999_999_999))
            #expect(clock.sleepers == 1)
            clock.advance(by: .nanoseconds(1))
            #expect(clock.sleepers == 0)
            try await group.waitForAll()
        }
    }

    @Test func whoeverWakesReadsTheTimeToWhichTheClockWasMoved() async throws {
        let clock = ManualClock()
        async let woken: ManualClock.Instant = {
            try await clock.sleep(until: Self.instant(1))
            return clock.now
        }()
        await clock.nextSleep()
        clock.advance(by: .seconds(10))
        #expect(try await woken == Self.instant(10))
    }

    @Test func theNextDeadlineIsTheEarliest() async throws {
        let clock = ManualClock()
        #expect(clock.nextDeadline == nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [7, 3, 5] {
                group.addTask { try await clock.sleep(until: Self.instant(seconds)) }
                await clock.nextSleep()
            }
            var deadlines: [ManualClock.Instant] = []
            while let deadline = clock.nextDeadline {
                deadlines.append(deadline)
                clock.advance(to: deadline)
            }
            #expect(deadlines == [3, 5, 7].map(Self.instant))
            try await group.waitForAll()
        }
    }

    @Test func aShiftOfTheWallClockWakesNobody() async throws {
        let clock = ManualClock()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.sleep(until: Self.instant(60)) }
            await clock.nextSleep()
            clock.shiftWallClock(by: .seconds(3600))
            #expect(clock.sleepers == 1)
            #expect(clock.nextDeadline == Self.instant(60))
            clock.advance(by: .seconds(60))
            try await group.waitForAll()
        }
    }

    @Test func aSleeperThatMovesTheClockItselfDoesNotHang() async throws {
        let clock = ManualClock()
        async let chain: Void = {
            for _ in 0..<3 {
                try await clock.sleep(for: .seconds(1))
                clock.advance(by: .seconds(1))
            }
        }()
        await clock.nextSleep()
        clock.advance(by: .seconds(1))
        await clock.nextSleep()
        clock.advance(by: .seconds(1))
        await clock.nextSleep()
        clock.advance(by: .seconds(1))
        try await chain
        #expect(clock.now == Self.instant(6))
    }

    // MARK: Cancellation

    @Test func aCancelledSleeperWakesWithAnError() async {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(until: Self.instant(60)) }
        await clock.nextSleep()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers == 0)
        #expect(clock.nextDeadline == nil)
    }

    @Test func aTaskCancelledBeforeItsSleepDoesNotFallAsleep() async {
        let clock = ManualClock()
        let task = Task {
            await until("its own cancellation") { Task.isCancelled }
            try await clock.sleep(until: Self.instant(60))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers == 0)
    }

    @Test func cancellingOneSleeperLeavesTheOthersAsleep() async throws {
        let clock = ManualClock()
        let cancelled = Task { try await clock.sleep(until: Self.instant(1)) }
        await clock.nextSleep()
        let other = Task { try await clock.sleep(until: Self.instant(2)) }
        await clock.nextSleep()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.nextDeadline == Self.instant(2))
        clock.advance(by: .seconds(2))
        try await other.value
    }

    @Test func aCancellationAfterTheWakeUpIsTooLate() async throws {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(until: Self.instant(1)) }
        await clock.nextSleep()
        clock.advance(by: .seconds(1))
        task.cancel()
        try await task.value
    }

    // MARK: Waiting for a sleeper

    @Test func nextSleepReportsASleeperThatCameBefore() async throws {
        let clock = ManualClock()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [1, 2] {
                group.addTask { try await clock.sleep(until: Self.instant(seconds)) }
            }
            await until("two sleepers") { clock.sleepers >= 2 }
            await clock.nextSleep()
            await clock.nextSleep()
            clock.advance(by: .seconds(2))
            try await group.waitForAll()
        }
    }

    @Test func nextSleepReportsNobodyTwice() async throws {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(until: Self.instant(9)) }
        await clock.nextSleep()
        let watch = Task {
            await clock.nextSleep()
            return clock.sleepers
        }
        let second = Task { try await clock.sleep(until: Self.instant(9)) }
        #expect(await watch.value == 2)
        clock.advance(by: .seconds(9))
        try await sleeper.value
        try await second.value
    }

    @Test func nextSleepDoesNotReportASleepThatIsOver() async throws {
        let clock = ManualClock()
        let first = Task { try await clock.sleep(until: Self.instant(1)) }
        await until("a sleeper") { clock.sleepers >= 1 }
        clock.advance(by: .seconds(1))
        try await first.value
        let watch = Task {
            await clock.nextSleep()
            return clock.nextDeadline
        }
        let second = Task { try await clock.sleep(until: Self.instant(5)) }
        #expect(await watch.value == Self.instant(5))
        clock.advance(by: .seconds(4))
        try await second.value
    }

    @Test func nextSleepReturnsWhenItsTaskIsCancelled() async {
        let clock = ManualClock()
        let waiting = Task { await clock.nextSleep() }
        let before = Task {
            await until("its own cancellation") { Task.isCancelled }
            await clock.nextSleep()
        }
        waiting.cancel()
        before.cancel()
        await waiting.value
        await before.value
    }

    // MARK: All at once

    @Test func aThousandSleepersCancelledAndWokenFromManyThreadsAllReturn() async {
        let clock = ManualClock()
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    let sleeper = Task {
                        try await clock.sleep(for: .milliseconds(index % 50 + 1))
                    }
                    if index.isMultiple(of: 3) {
                        sleeper.cancel()
                    }
                    if index.isMultiple(of: 7) {
                        clock.advance(by: .milliseconds(1))
                    }
                    return await sleeper.result.isSuccess
                }
            }
            let driver = Task {
                while !Task.isCancelled {
                    clock.advance(by: .milliseconds(10))
                    await Task.yield()
                }
            }
            var woken = 0
            var cancelled = 0
            for await isWoken in group {
                woken += isWoken ? 1 : 0
                cancelled += isWoken ? 0 : 1
            }
            driver.cancel()
            await driver.value
            return (woken, cancelled)
        }
        #expect(outcomes.0 >= 666)
        #expect(outcomes.0 + outcomes.1 == 1000)
        #expect(clock.sleepers == 0)
        #expect(clock.nextDeadline == nil)
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        switch self {
        case .success: true
        case .failure: false
        }
    }
}
