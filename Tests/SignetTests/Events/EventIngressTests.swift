// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite struct EventIngressTests {
    @Test func adoptionsAreTakenOnceAndInOrder() async throws {
        let ingress = EventIngress()
        let mpid = try #require(MPID(rawValue: 1))
        ingress.attributed(1, to: mpid)
        ingress.attributed(2, to: mpid)
        #expect(ingress.takeReports().newAttributions.map(\.installation) == [1, 2])
        #expect(ingress.takeReports().newAttributions.isEmpty)
        await ingress.wakeup.wait()
    }

    @Test func onlyTheEventThatIsWaitedForOrOneThatIsPromptWakesTheQueue() async {
        let ingress = EventIngress()
        let clock = ManualClock()
        let time = TimeSource(clock: clock, milliseconds: { 0 })
        ingress.wake(at: 10)
        ingress.eventLogged(9, .regular)
        async let slept: Void = ingress.wakeup.wait(until: .seconds(5), on: time)
        await clock.untilNextDeadline(is: .seconds(5))
        clock.advance(by: .seconds(5))
        await slept
        for (sequence, urgency) in [(10, .regular), (3, .prompt)] as [(UInt64, EventMetadata.Urgency)] {
            ingress.wake(at: 10)
            ingress.eventLogged(sequence, urgency)
            await ingress.wakeup.wait()
        }
    }

    @Test func aLoggedEventWakesTheQueue() async {
        let ingress = EventIngress()
        ingress.eventLogged()
        await ingress.wakeup.wait()
    }
}
