// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetInfobip

/// What waits for Infobip is done, though its app or visitor never comes back.
@Suite(.watched) struct InfobipDueWorkTests {
    @Test func aDepersonalizeIsDoneAfterARestartWithoutAnOpen() async throws {
        let world = try InfobipWorld()
        try await world.live { _, installation in
            let id = try await installation.infobip.register()
            try await installation.infobip.personalize(InfobipIdentity(externalUserID: "ann"))
            #expect(world.infobip.person(externalUserID: "ann")?.installations == [id])
            world.emulator.faults.injectAlways(.connectionRefused)
            #expect(try await installation.infobip.depersonalize() == .pending)
        }
        world.emulator.faults.clear()
        try await world.start().run { signet in
            await signet.pass(until: "the person has left") {
                world.infobip.person(externalUserID: "ann")?.installations.isEmpty ?? true
            }
            try await signet.pass(until: "nothing is marked") { try signet.markedServiceRecords.isEmpty }
        }
    }

    @Test func savesAndEventsArriveAfterARestartWithoutAnOpen() async throws {
        let world = try InfobipWorld()
        try await world.live { _, installation in
            try await installation.infobip.register()
            try await installation.infobip.personalize(InfobipIdentity(externalUserID: "ann"))
            world.emulator.faults.injectAlways(.connectionRefused)
            _ = try await installation.infobip.save { $0.firstName = .set("Ann") }
            try await installation.infobip.submit(InfobipEvent("waits"), .queued)
        }
        world.emulator.faults.clear()
        try await world.start().run { signet in
            await signet.pass(until: "the save arrives") {
                world.infobip.person(externalUserID: "ann")?.firstName == "Ann"
            }
            await signet.pass(until: "the event arrives") { !world.infobip.requests(on: .customEvents).isEmpty }
            try await signet.pass(until: "nothing is marked") { try signet.markedServiceRecords.isEmpty }
        }
    }

    @Test func anOutboxIsDeliveredAfterARestartWithoutAnOpen() async throws {
        let world = try InfobipWorld()
        func follow(_ settings: inout ServiceSettings) { settings.infobip?.followsLogin = true }
        try await world.live(configure: follow) { _, installation in
            try await installation.infobip.register()
            try await installation.infobip.waitUntilIdle()
        }
        var before: (key: [UInt8], value: [UInt8])?
        try withRecords(in: world.folder.path) { store in
            before = try store.keys(withPrefix: StateKey.services).first.flatMap { key in
                try store.value(for: key).map { (key, $0) }
            }
        }
        world.emulator.faults.injectAlways(.connectionRefused, on: .personalize)
        try await world.live(configure: follow) { _, installation in
            try await installation.login([.customerID: "ann"])
        }
        world.emulator.faults.clear()
        // As after a kill between the login and its first write for Infobip.
        let memory = try #require(before)
        try withRecords(in: world.folder.path) { store in
            #expect(store.contains(StateKey.outbox("p")))
            try store.put(memory.value, for: memory.key)
        }
        try await world.start(configure: follow).run { signet in
            await signet.pass(until: "the login is done") {
                !signet.runtime.context.store.contains(StateKey.outbox("p"))
            }
            #expect(world.infobip.person(externalUserID: "ann")?.installations.count == 1)
        }
    }

    // MARK: - The push token

    @Test func aPushTokenRefusedOnceIsSentAgain() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, installation in
            let id = try await installation.infobip.register("AA01")
            world.emulator.faults.inject(
                .refused(status: 400, code: "0", message: "unknown"),
                on: .updateInstallation
            )
            try await installation.infobip.setPushToken(PushToken("CC03", service: .apns))
            await signet.pass(until: "the token is there") { world.infobip.installation(id)?.pushToken == "cc03" }
        }
    }

    @Test func aPushTokenThatWasRefusedIsSentAfterARestartWithoutAnOpen() async throws {
        let world = try InfobipWorld()
        var id = ""
        try await world.live { _, installation in
            id = try await installation.infobip.register("AA01")
            world.emulator.faults.injectAlways(
                .refused(status: 400, code: "0", message: "unknown"),
                on: .updateInstallation
            )
            try await installation.infobip.setPushToken(PushToken("CC03", service: .apns))
            try await installation.infobip.waitUntilIdle()
        }
        world.emulator.faults.clear()
        try await world.start().run { signet in
            await signet.pass(until: "the token is there") { world.infobip.installation(id)?.pushToken == "cc03" }
            try await signet.pass(until: "nothing is marked") { try signet.markedServiceRecords.isEmpty }
        }
    }

    // MARK: - Marks

    @Test func aDeployMarksNoPhone() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, installation in
            try await installation.infobip.register()
            try await installation.infobip.waitUntilIdle()
            let marked1 = try signet.markedServiceRecords
            #expect(marked1.isEmpty)
        }
        let before = world.requests.count
        try await world.live(configure: { $0.infobip?.system.os = "Other" }) { signet, _ in
            let marked2 = try signet.markedServiceRecords
            #expect(marked2.isEmpty)
        }
        // Opened, it says what it runs on.
        #expect(world.requests.count >= before)
        world.clock.advance(by: .seconds(7200))
        let quiet = world.requests.count
        try await world.start(configure: { $0.infobip?.system.os = "Third" }).run { signet in
            signet.clock.advance(by: .seconds(3600))
            await signet.rest()
            #expect(world.requests.count == quiet)
        }
    }

    @Test func whatWaitsForAPushTokenIsNotMarked() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, installation in
            #expect(try await installation.infobip.save { $0.firstName = .set("Ann") } == .pending)
            let marked3 = try signet.markedServiceRecords
            #expect(marked3.isEmpty)
            world.emulator.faults.injectAlways(.connectionRefused)
            try await installation.infobip.setPushToken(PushToken("AA01", service: .apns))
            let marked4 = try signet.markedServiceRecords
            #expect(marked4.count == 1)
        }
    }
}
