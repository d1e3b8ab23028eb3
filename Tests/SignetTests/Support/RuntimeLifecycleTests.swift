// SPDX-License-Identifier: Apache-2.0

import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite struct RuntimeLifecycleTests {
    private let clock = ManualClock()

    @Test func readinessWaitsForTheRun() async {
        let lifecycle = RuntimeLifecycle()
        async let readiness = lifecycle.readiness(within: .seconds(10), on: .manual(self.clock))
        await self.clock.nextSleep()
        _ = lifecycle.run()
        #expect(await readiness == .ready)
    }

    @Test func readinessWaitsNoLongerThanItsLimit() async {
        let lifecycle = RuntimeLifecycle()
        async let readiness = lifecycle.readiness(within: .seconds(10), on: .manual(self.clock))
        await self.clock.nextSleep()
        self.clock.advance(by: .seconds(10))
        #expect(await readiness == .notRunning)
    }

    @Test func readinessEndsWhenTheRuntimeEndsWithoutARun() async {
        let lifecycle = RuntimeLifecycle()
        async let readiness = lifecycle.readiness(within: .seconds(10), on: .manual(self.clock))
        await self.clock.nextSleep()
        #expect(lifecycle.shutdown() == .end)
        lifecycle.end(ShutdownReport(eventsDelivered: 0, eventsLeft: 0, isComplete: true))
        #expect(await readiness == .notRunning)
    }

    @Test func readinessOfACancelledTaskSaysSo() async {
        let lifecycle = RuntimeLifecycle()
        let time = TimeSource.manual(self.clock)
        let task = Task { await lifecycle.readiness(within: .seconds(10), on: time) }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test func readinessIsToldAtOnceInEveryOtherStage() async {
        let lifecycle = RuntimeLifecycle()
        let time = TimeSource.manual(self.clock)
        _ = lifecycle.run()
        #expect(lifecycle.acceptsCalls)
        #expect(await lifecycle.readiness(within: .seconds(10), on: time) == .ready)
        _ = lifecycle.shutdown()
        #expect(!lifecycle.acceptsCalls)
        #expect(await lifecycle.readiness(within: .seconds(10), on: time) == .notRunning)
        lifecycle.end(ShutdownReport(eventsDelivered: 0, eventsLeft: 0, isComplete: true))
        #expect(await lifecycle.readiness(within: .seconds(10), on: time) == .notRunning)
    }

    @Test func theFirstReportIsTheOneThatEverybodyGets() async {
        let lifecycle = RuntimeLifecycle()
        lifecycle.end(ShutdownReport(eventsDelivered: 0, eventsLeft: 3, isComplete: false))
        lifecycle.end(ShutdownReport(eventsDelivered: 0, eventsLeft: 0, isComplete: true))
        #expect(await lifecycle.untilEnded() == ShutdownReport(eventsDelivered: 0, eventsLeft: 3, isComplete: false))
        #expect(lifecycle.report?.eventsLeft == 3)
    }
}
