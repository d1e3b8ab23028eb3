// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// What apps do with profiles, against the people handler.
@Suite struct InfobipJourneyTests {
    private static let ann = InfobipIdentity(emails: ["ann@example.com"], externalUserID: "ann")

    @Test func anAppRegistersSavesAndFetches() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let profile = it.infobip
            let id = try await profile.register()
            #expect(profile.installation.pushRegistrationID == id)
            #expect(try await profile.save { $0.firstName = .set("Ann") } == .done)
            #expect(profile.user.firstName == "Ann")
            #expect(world.infobip.person(of: id)?.firstName == "Ann")
            let user = try await profile.fetchUser()
            #expect(user.type == .lead)
            #expect(user.installations.map(\.pushRegistrationID) == [id])
            #expect(try await profile.saveOwn { $0.applicationUserID = .set("u") } == .done)
            #expect(world.infobip.installation(id)?.applicationUserID == "u")
            #expect(try await profile.fetchInstallation().applicationUserID == "u")
            #expect(!profile.hasPendingChanges)
            #expect(world.requests.allSatisfy { $0.faults.isEmpty && $0.status < 300 })
        }
    }

    @Test func aSaveBeforeRegistrationIsKeptAndSentAfterIt() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let profile = it.infobip
            let outcomes = [
                try await profile.save { $0.firstName = .set("Ann") },
                try await profile.saveOwn { $0.customAttributes["a"] = .set(1) },
            ]
            #expect(outcomes == [.pending, .pending])
            #expect(profile.user.firstName == "Ann")
            #expect(await code { _ = try await profile.fetchUser() } == .notRegistered)
            #expect(world.requests.isEmpty)
        }
        try await world.live { _, it in
            #expect(it.infobip.user.firstName == "Ann")
            let id = try await it.infobip.register()
            try await world.settle(it)
            #expect(world.infobip.person(of: id)?.firstName == "Ann")
            #expect(world.infobip.installation(id)?.attributes["a"] == 1)
            #expect(world.routes == [.createInstallation, .updatePerson])
        }
    }

    @Test func personalizingTellsWhoItIs() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let profile = it.infobip
            let id = try await profile.register()
            var attributes = InfobipAttributes()
            attributes.firstName = "Ann"
            let user = try await profile.personalize(Self.ann, attributes: attributes, setDeviceAsPrimary: true)
            #expect(user.type == .customer)
            #expect(user.externalUserID == "ann")
            #expect(profile.installation.isPrimary)
            #expect(world.infobip.person(externalUserID: "ann")?.installations == [id])
        }
        // Lead or customer is known after a restart, too.
        try await world.live { _, it in
            #expect(it.infobip.user.type == .customer)
            #expect(it.infobip.user.firstName == "Ann")
            #expect(it.infobip.installation.isPrimary)
        }
    }

    @Test func whatIsSavedOfflineIsSentWhenThereIsANetwork() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let profile = it.infobip
            let id = try await profile.register()
            world.emulator.faults.injectAlways(.connectionRefused)
            #expect(try await profile.save { $0.firstName = .set("A") } == .pending)
            #expect(try await profile.save { $0.lastName = .set("B") } == .pending)
            #expect(await code { try await profile.fetchUser() } == .notConnected)
            #expect(profile.hasPendingChanges)
            world.emulator.faults.clear()
            try await profile.retry()
            try await profile.waitUntilIdle()
            #expect(world.infobip.person(of: id)?.firstName == "A")
            #expect(world.infobip.person(of: id)?.lastName == "B")
            #expect(!profile.hasPendingChanges)
        }
    }

    @Test func whatIsSavedOfflineIsSentByTheNextLife() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            try await it.infobip.register()
            world.emulator.faults.injectAlways(.connectionRefused)
            try await it.infobip.save { $0.firstName = .set("A") }
        }
        world.emulator.faults.clear()
        try await world.live { _, it in
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.people().map(\.firstName) == ["A"])
        }
    }

    @Test func anEditThatTakesBackWhatMayHaveArrivedIsSent() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            try await it.infobip.save { $0.firstName = .set("A") }
            try await it.infobip.fetchUser()
            world.emulator.faults.inject(.replyLost, on: .updatePerson)
            #expect(try await it.infobip.save { $0.firstName = .set("B") } == .pending)
            #expect(world.infobip.person(of: id)?.firstName == "B")
            #expect(try await it.infobip.save { $0.firstName = .set("A") } == .done)
            #expect(world.infobip.person(of: id)?.firstName == "A")
        }
    }
}
