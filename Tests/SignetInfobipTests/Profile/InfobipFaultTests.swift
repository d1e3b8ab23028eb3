// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// Profiles in bad faults: lost answers, refusals for a while, registrations that are gone.
@Suite struct InfobipFaultTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")
    private static let bob = InfobipIdentity(externalUserID: "bob")

    @Test func nobodyIsThereAfterAForcedPersonalizeWithoutAnAnswer() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            world.emulator.faults.inject(.replyLost, on: .personalize)
            world.emulator.faults.injectAlways(.status(503), on: .fetchPerson)
            #expect(await code { try await profile.personalize(Self.bob, forceDepersonalize: true) } == .notConnected)
            #expect(profile.user == InfobipUser())
            #expect(profile.isDepersonalizationPending)
            #expect(try await profile.save { $0.firstName = .set("OfNobody") } == .pending)
        }
        // By the next life, too.
        world.emulator.faults.clear()
        try await world.live { _, it in
            try await world.settle(it)
            #expect(!it.infobip.isDepersonalizationPending)
            #expect(it.infobip.user.firstName == "OfNobody")
        }
        #expect(world.infobip.person(externalUserID: "ann")?.firstName == nil)
        #expect(world.infobip.person(externalUserID: "bob")?.firstName == nil)
        #expect(world.infobip.person(externalUserID: "bob")?.installations.isEmpty ?? true)
    }

    @Test func whatWasSavedForOnePersonIsSentBeforeTheNextOneComes() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            world.emulator.faults.inject(.status(503), on: .updatePerson)
            #expect(try await profile.save { $0.firstName = .set("OfAnn") } == .pending)
            try await profile.personalize(Self.bob, forceDepersonalize: true)
            #expect(world.infobip.person(externalUserID: "ann")?.firstName == "OfAnn")
            #expect(world.infobip.person(externalUserID: "bob")?.firstName == nil)
            // Where it cannot be sent, it waits for the person it is of.
            world.emulator.faults.injectAlways(.status(503), on: .updatePerson)
            #expect(try await profile.save { $0.firstName = .set("OfBob") } == .pending)
            try await profile.personalize(Self.ann, forceDepersonalize: true)
            world.emulator.faults.clear()
            try await profile.personalize(Self.bob, forceDepersonalize: true)
            try await profile.waitUntilIdle()
            #expect(world.infobip.person(externalUserID: "bob")?.firstName == "OfBob")
        }
    }

    @Test func aRegistrationWithoutAnAnswerIsAskedForAgain() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            world.emulator.faults.inject(.replyLost, on: .createInstallation, times: 2)
            try await it.infobip.setPushToken("AA")
            try await world.settle(it)
            let id = try await it.infobip.registration()
            #expect(world.infobip.installations().map(\.id) == [id])
        }
    }

    @Test func aDepersonalizeWithoutAnAnswerIsAskedForAgain() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            world.emulator.faults.inject(.replyLost, on: .depersonalize)
            #expect(try await it.infobip.depersonalize() == .pending)
            try await world.settle(it)
            #expect(!it.infobip.isDepersonalizationPending)
            #expect(world.infobip.person(externalUserID: "ann")?.installations == [])
        }
    }

    @Test func aPauseThatTheServiceAsksForIsKept() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            try await it.infobip.register()
            world.emulator.faults.inject(.status(429, retryAfter: .seconds(30)), on: .updatePerson)
            #expect(try await it.infobip.save { $0.firstName = .set("A") } == .pending)
            #expect(try await it.infobip.save { $0.lastName = .set("B") } == .pending)
            #expect(await code { try await it.infobip.fetchUser() } == .throttled)
            let count = world.requests.count
            world.clock.advance(by: .seconds(29))
            try await it.infobip.waitUntilIdle()
            #expect(world.requests.count == count)
            world.clock.advance(by: .seconds(1))
            try await world.settle(it)
            #expect(world.lastBody(on: .updatePerson) == #"{"firstName":"A","lastName":"B"}"#)
            #expect(!it.infobip.hasPendingChanges)
        }
    }

    @Test func manyCallsThatFindTheRegistrationGoneMakeOneNewOne() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(Self.ann)
            world.infobip.expireInstallation(id)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<5 {
                    group.addTask { try await profile.fetchUser() }
                    group.addTask { try await profile.save { $0.customAttributes["\(index)"] = .set(1) } }
                    group.addTask { try await profile.fetchInstallation() }
                }
                try await group.waitForAll()
            }
            #expect(world.infobip.requests(on: .createInstallation).count == 2)
            #expect(world.infobip.requests(on: .personalize).count == 2)
            #expect(world.infobip.person(externalUserID: "ann")?.attributes.count == 5)
        }
    }

    @Test func whatAPersonalizeSaysIsNewerThanWhatWaits() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            world.emulator.faults.inject(.status(503), on: .updatePerson)
            try await profile.save {
                $0.firstName = .set("old")
                $0.lastName = .set("kept")
            }
            var attributes = InfobipAttributes()
            attributes.firstName = "new"
            try await profile.personalize(Self.ann, attributes: attributes)
            try await profile.waitUntilIdle()
            let person = try #require(world.infobip.person(externalUserID: "ann"))
            #expect((person.firstName, person.lastName) == ("new", "kept"))
        }
    }

    @Test func oneRequestOfAnInstallationIsUnderWayAtATime() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let profile = it.infobip
            try await profile.register()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<10 {
                    group.addTask { try await profile.fetchUser() }
                    group.addTask { try await profile.save { $0.firstName = .set("\(index)") } }
                    group.addTask { try await profile.submit(InfobipEvent("e")) }
                }
                try await group.waitForAll()
            }
            #expect(signet.transport.maximumInFlight == 1)
            #expect(world.infobip.events().count == 10)
        }
    }
}
