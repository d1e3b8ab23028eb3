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
        intake.adopted("a", by: mpid)
        intake.adopted("b", by: mpid)
        #expect(intake.takeAdoptions().map(\.installation) == ["a", "b"])
        #expect(intake.takeAdoptions().isEmpty)
        await intake.wakeup.wait()
    }

    @Test func aLoggedEventWakesTheQueue() async {
        let intake = EventIntake()
        intake.eventLogged()
        await intake.wakeup.wait()
    }
}
