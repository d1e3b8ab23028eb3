// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// A login of which Infobip hears late: what is saved and told meanwhile is of who has logged in.
@Suite struct InfobipLateLoginTests {
    private static func link(_ configuration: inout ServiceSettings) {
        configuration.infobip?.followsLogin = true
    }

    @Test func aSaveDoesNotOvertakeTheLogin() async throws {
        let world = try InfobipWorld()
        let number = try #require(world.infobip.makePerson(externalUserID: "ann"))
        world.infobip.updatePerson(number, #"{"firstName":"Old"}"#)
        try await world.live(configure: Self.link) { _, it in
            try await it.infobip.register()
            world.emulator.faults.injectAlways(.status(503), on: .personalize)
            try await it.login([.customerID: "ann"])
            try await it.infobip.waitUntilIdle()
            // Nobody waits for ever, either.
            #expect(try await it.infobip.save { $0.firstName = .set("New") } == .pending)
            #expect(await code { try await it.infobip.fetchUser() } == .serverFailure)
            #expect(world.infobip.requests(on: .updatePerson).isEmpty)
            world.emulator.faults.clear()
            #expect(try await it.infobip.save { $0.lastName = .set("Lee") } == .pending)
            try await world.settle(it)
            let person = try #require(world.infobip.person(externalUserID: "ann"))
            #expect((person.firstName, person.lastName) == ("New", "Lee"))
        }
    }

    @Test(arguments: [false, true])
    func whatWasSavedForSomebodyWaitsForThemThoughSomebodyElseHasCome(isLogout: Bool) async throws {
        let world = try InfobipWorld()
        try await world.live(configure: Self.link) { _, it in
            try await it.infobip.register()
            world.emulator.faults.injectAlways(.status(503), on: .personalize)
            try await it.login([.customerID: "ann"])
            _ = try await it.infobip.save { $0.firstName = .set("Ann") }
            try await it.infobip.submit(InfobipEvent("of-ann"), .queued)
            if isLogout { try await it.logout() } else { try await it.login([.customerID: "bob"]) }
        }
        world.emulator.faults.clear()
        try await world.live(configure: Self.link) { _, it in
            try await world.settle(it)
            let id = try await it.infobip.registration()
            #expect(world.infobip.person(of: id)?.externalUserID == (isLogout ? nil : "bob"))
            #expect(world.infobip.person(of: id)?.firstName == nil)
            #expect(world.infobip.events().isEmpty)
            try await it.login([.customerID: "ann"])
            try await world.settle(it)
            let ann = try #require(world.infobip.person(externalUserID: "ann"))
            #expect(ann.firstName == "Ann")
            #expect(world.infobip.events(of: ann.number).map(\.definitionID) == ["of-ann"])
        }
    }

    /// The service never takes who it was: what was told of them is told of nobody, and waits for them.
    @Test func whoIsRefusedIsNotSaidGoodbyeTo() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: Self.link) { signet, it in
            try await it.infobip.register()
            world.emulator.faults.injectAlways(.status(503), on: .personalize)
            try await it.login([.customerID: "ann"])
            _ = try await it.infobip.save { $0.firstName = .set("Ann") }
            try await it.infobip.submit(InfobipEvent("of-ann"), .queued)
            world.emulator.faults.clear()
            let no = FaultInjector.Fault.refused(status: 400, code: "USER_DATA_RESTRICTED", message: "no")
            world.emulator.faults.inject(no, on: .personalize)
            try await it.logout()
            try await world.settle(it)
            #expect(world.infobip.person(externalUserID: "ann") == nil)
            #expect(world.infobip.events().isEmpty)
            #expect(world.infobip.people().allSatisfy { $0.firstName == nil })
            let statistics = signet.runtime.statistics
            #expect((statistics.infobipChangesDropped, statistics.infobipEventsDropped) == (0, 0))
        }
    }
}
