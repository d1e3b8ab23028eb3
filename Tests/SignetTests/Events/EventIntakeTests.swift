//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTesting
import Testing

@testable import Signet

@Suite struct EventIntakeTests {
    @Test func adoptionsAreTakenOnceAndInOrder() async throws {
        let intake = EventIntake()
        let mpid = try #require(MPID(rawValue: 1))
        intake.adopted(1, by: mpid)
        intake.adopted(2, by: mpid)
        #expect(intake.takeAdoptions().map(\.installation) == [1, 2])
        #expect(intake.takeAdoptions().isEmpty)
        await intake.wakeup.wait()
    }

    @Test func onlyTheEventThatIsWaitedForOrOneThatIsPromptWakesTheQueue() async {
        let intake = EventIntake()
        let clock = ManualClock()
        let time = TimeSource(clock: clock, milliseconds: { 0 })
        intake.wake(at: 10)
        intake.eventLogged(9, .regular)
        async let slept: Void = intake.wakeup.wait(until: .seconds(5), on: time)
        await clock.untilNextDeadline(is: .seconds(5))
        clock.advance(by: .seconds(5))
        await slept
        for (sequence, urgency) in [(10, .regular), (3, .prompt)] as [(UInt64, EventTag.Urgency)] {
            intake.wake(at: 10)
            intake.eventLogged(sequence, urgency)
            await intake.wakeup.wait()
        }
    }

    @Test func aLoggedEventWakesTheQueue() async {
        let intake = EventIntake()
        intake.eventLogged()
        await intake.wakeup.wait()
    }
}
