// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

@Suite struct InfobipStoreTests {
    /// Facts 9, row 56.
    @Test func row56NothingOfAPersonIsOnDiskWhereItIsNotToBe() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: { $0.infobip?.persistsUserData = false }) { signet, it in
            let id = try await it.infobip.register()
            try await Self.saveEverything(it.infobip)
            // Memory has all of it.
            #expect(it.infobip.user.tags == ["tag-of-ann"])
            #expect(it.infobip.user.installations.map(\.pushRegistrationID) == [id])
            // What waits, too, and who is personalized.
            world.emulator.faults.injectAlways(.status(503))
            #expect(try await it.infobip.save { $0.middleName = .set("pending-of-ann") } == .pending)
            #expect(it.infobip.user.middleName == "pending-of-ann")
            #expect(try await it.infobip.depersonalize() == .pending)
            try await signet.runtime.context.disk.syncTogether()
            #expect(try !allBytes(in: world.folder.path).contains("of-ann"))
        }
    }

    /// Facts 9, row 56: what an earlier run has kept goes when it is switched on.
    @Test func row56WhatWasKeptIsScrubbedWhenThePersonIsNotToBeOnDiskAnyMore() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            try await it.infobip.register()
            try await Self.saveEverything(it.infobip)
            try await signet.runtime.context.disk.syncTogether()
            #expect(try allBytes(in: world.folder.path).contains("of-ann"))
        }
        try await world.live(configure: { $0.infobip?.persistsUserData = false }) { _, it in
            try await it.infobip.waitUntilIdle()
            #expect(try !allBytes(in: world.folder.path).contains("of-ann"))
            #expect(it.infobip.installation.pushRegistrationID != nil)
            #expect(try await it.infobip.fetchUser().firstName == "first-of-ann")
        }
    }

    private static func saveEverything(_ profile: InfobipProfile) async throws {
        try await profile.personalize(InfobipIdentity(emails: ["mail-of-ann@x"], externalUserID: "id-of-ann"))
        try await profile.save {
            $0.firstName = .set("first-of-ann")
            $0.tags = .set(["tag-of-ann"])
            $0.customAttributes["key-of-ann"] = .set([["a": "list-of-ann"]])
        }
        try await profile.fetchUser()
    }

    /// Facts 9, row 57: atomic, 0600, and what is unreadable is empty; not encrypted, as decided.
    @Test func row57WhatCannotBeReadIsSetAsideAndTold() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            try await it.infobip.register()
            let key = StateKey.infobipMemory(it.core.identityState.number)
            try signet.runtime.context.store.put([1, 2, 3], for: key)
        }
        let observer = RecordingObserver()
        try await world.live(observer: observer) { _, it in
            #expect(it.infobip.installation.pushRegistrationID == nil)
            #expect(observer.damages.count == 1)
            _ = try await it.infobip.register()
        }
        let names = FileManager.default.enumerator(atPath: world.folder.path)?.compactMap { $0 as? String } ?? []
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: world.folder.path + "/" + name)
            let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
            #expect(mode & 0o077 == 0, "\(name)")
        }
    }

    @Test func aNewerFormatIsLeftAlone() async throws {
        let world = try InfobipWorld()
        let newer: [UInt8] = [2, 0]
        try await world.live { signet, it in
            let key = StateKey.infobipMemory(it.core.identityState.number)
            try signet.runtime.context.store.put(newer, for: key)
            #expect(await code { try await it.infobip.save { $0.firstName = .set("A") } } == .newerFormat)
            #expect(try signet.runtime.context.store.value(for: key) == newer)
        }
    }

    @Test func aDiskThatRefusesLeavesEverythingAsItWas() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            try await it.infobip.register()
            signet.runtime.context.disk.close()
            #expect(await code { try await it.infobip.save { $0.firstName = .set("A") } } != nil)
            #expect(it.infobip.user.firstName == nil)
            #expect(!it.infobip.hasPendingChanges)
        }
    }

    @Test func whoHasOptedOutIsNeitherStoredNorTold() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let id = try await it.infobip.register()
            world.emulator.faults.injectAlways(.status(503), on: .updatePerson)
            try await it.infobip.save { $0.firstName = .set("A") }
            world.emulator.faults.clear()
            try await it.infobip.submit(InfobipEvent("e"), .queued)
            try await it.setOptedOut(true)
            #expect(signet.runtime.statistics.infobipEventsDropped == 1)
            #expect(await code { try await it.infobip.save { $0.lastName = .set("B") } } == .optedOut)
            #expect(await code { try await it.infobip.fetchUser() } == .optedOut)
            let count = world.requests.count
            world.clock.advance(by: .seconds(600))
            #expect(world.requests.count == count)
            try await it.setOptedOut(false)
            try await world.settle(it)
            #expect(world.infobip.person(of: id)?.firstName == "A")
            #expect(world.infobip.person(of: id)?.lastName == nil)
            #expect(world.infobip.events().isEmpty)
        }
    }

    @Test func whoIsErasedIsGoneFromTheProfile() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let user = try await it.login([.customerID: "c"]).user
            try await it.infobip.register()
            try await Self.saveEverything(it.infobip)
            try await signet.runtime.eraseUser(user.mpid)
            #expect(it.infobip.user == InfobipUser())
            #expect(try !allBytes(in: world.folder.path).contains("of-ann"))
        }
    }
}
