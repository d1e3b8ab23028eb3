// SPDX-License-Identifier: Apache-2.0

import SignetTesting
import Testing

@testable import quickstart

@Suite struct SettlingExecutorTests {
    /// Counts turns of tasks that give way to each other.
    private actor Turns {
        private(set) var count = 0

        func take() {
            self.count += 1
        }
    }

    @Test func itIsSettledWhenAllTasksWaitForTheClock() async throws {
        let executor = SettlingExecutor()
        let clock = ManualClock()
        let turns = Turns()
        try await withTaskExecutorPreference(executor) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for seconds in 1...20 {
                    group.addTask {
                        for _ in 0..<seconds {
                            await Task.yield()
                            await turns.take()
                        }
                        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(seconds)))
                        await turns.take()
                    }
                }
                await executor.settled()
                #expect(clock.sleepers == 20)
                #expect(await turns.count == 210)
                clock.advance(by: .seconds(10))
                await executor.settled()
                #expect(clock.sleepers == 10)
                #expect(await turns.count == 220)
                clock.advance(by: .seconds(10))
                try await group.waitForAll()
            }
        }
    }

    @Test func itIsSettledFromTheStart() async {
        await SettlingExecutor().settled()
    }
}
