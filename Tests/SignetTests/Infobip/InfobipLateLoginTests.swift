// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
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
            #expect(await code { try await it.infobip.fetchInstallation() } == .serverFailure)
            #expect(world.infobip.requests(on: .updatePerson).isEmpty)
            world.emulator.faults.clear()
            #expect(try await it.infobip.save { $0.lastName = .set("Lee") } == .done)
            let person = try #require(world.infobip.person(externalUserID: "ann"))
            #expect((person.firstName, person.lastName) == ("New", "Lee"))
        }
    }

    @Test(arguments: [false, true])
    func whatWasSavedForSomebodyIsTheirsThoughSomebodyElseHasCome(isLogout: Bool) async throws {
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
            let ann = try #require(world.infobip.person(externalUserID: "ann"))
            #expect(ann.firstName == "Ann" && ann.installations.isEmpty)
            #expect(world.infobip.events(of: ann.number).map(\.definitionID) == ["of-ann"])
            let id = try await it.infobip.registration()
            #expect(world.infobip.person(of: id)?.externalUserID == (isLogout ? nil : "bob"))
            #expect(world.infobip.person(of: id)?.firstName == nil)
            #expect(world.infobip.events().count == 1)
        }
    }

    /// The service never takes who it was: what was told of them is told of nobody, and counted.
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
            #expect((statistics.infobipChangesDropped, statistics.infobipEventsDropped) == (1, 1))
        }
    }

    /// The push token is known to the service as a stranger's, of whom nothing is known here: what was for somebody whom it
    /// does not take is not for the stranger either.
    @Test(arguments: [false, true])
    func whatWasForSomebodyWhoIsImpossibleIsNotForTheStranger(isFollowed: Bool) async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(InfobipIdentity(externalUserID: "carl"))
        }
        let folder = try TemporaryFolder()
        try await world.live(in: folder.path, configure: Self.link) { signet, it in
            let id = try await it.infobip.register()
            #expect(world.infobip.person(of: id)?.externalUserID == "carl")
            world.emulator.faults.injectAlways(.status(503), on: .personalize)
            try await it.login([.customerID: "ann"])
            #expect(try await it.infobip.save { $0.firstName = .set("Ann") } == .pending)
            world.emulator.faults.clear()
            let no = FaultInjector.Fault.refused(status: 400, code: "PERSONALIZATION_IMPOSSIBLE", message: "no")
            world.emulator.faults.inject(no, on: .personalize)
            world.emulator.faults.injectAlways(.status(503), on: .depersonalize)
            if isFollowed {
                world.emulator.faults.injectAlways(.status(503), on: .personalize)
                try await it.infobip.retry()
                try await it.infobip.waitUntilIdle()
                try await it.logout()
            } else {
                world.emulator.faults.injectAlways(.refused(status: 400, code: "9", message: "no"), on: .personalize)
            }
            try await world.settle(it, orUntil: { signet.runtime.statistics.infobipChangesDropped > 0 })
            #expect(signet.runtime.statistics.infobipChangesDropped == 1)
            world.emulator.faults.clear()
            try await world.settle(it)
            #expect(world.infobip.people().allSatisfy { $0.firstName == nil })
        }
    }

    /// What waited before a login is older than what the login says.
    @Test func whatALoginSaysIsNewerThanWhatWaited() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: Self.link) { _, it in
            try await it.infobip.register()
            world.emulator.faults.injectAlways(.status(503), on: .updatePerson)
            world.emulator.faults.injectAlways(.status(503), on: .personalize)
            let emails = ["old@people.example", "ann@people.example"]
            #expect(try await it.infobip.save { $0.emails = .set(emails) } == .pending)
            try await it.login([.customerID: "ann", .email: "ann@people.example"])
            try await it.infobip.submit(InfobipEvent("of-ann"), .queued)
            try await it.login([.customerID: "bob"])
            world.emulator.faults.clear()
            try await world.settle(it)
            let ann = try #require(world.infobip.person(externalUserID: "ann"))
            #expect(ann.emails == ["ann@people.example"])
            #expect(world.infobip.events(of: ann.number).map(\.definitionID) == ["of-ann"])
        }
    }
}
