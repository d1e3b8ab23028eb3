//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetEmulator
import SignetModel
import SignetTesting
import Testing

@testable import Signet

/// Profiles in bad weather: lost answers, refusals for a while, registrations that are gone.
@Suite struct ProfileWeatherTests {
    private static let ann = ProfileIdentity(externalUserID: "ann")
    private static let bob = ProfileIdentity(externalUserID: "bob")

    @Test func whoItIsIsFoundOutWhenAForcedPersonalizeHadNoAnswer() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            world.emulator.weather.next(on: .personalize, .replyLost)
            world.emulator.weather.always(on: .fetchPerson, .status(503))
            #expect(await code { try await profile.personalize(Self.bob, forceDepersonalize: true) } == .notConnected)
            #expect(profile.user.externalUserID == "ann")
            #expect(await code { try await profile.save { $0.firstName = .set("OfAnn") } } == .personUnknown)
        }
        // Found out by the next life, too.
        world.emulator.weather.clear()
        try await world.live { _, it in
            try await world.settle(it)
            #expect(it.profile.user.externalUserID == "bob")
            #expect(try await it.profile.save { $0.firstName = .set("OfBob") } == .done)
        }
        #expect(world.people.person(externalUserID: "ann")?.firstName == nil)
        #expect(world.people.person(externalUserID: "bob")?.firstName == "OfBob")
    }

    @Test func whatWasSavedForOnePersonIsSentBeforeTheNextOneComes() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            world.emulator.weather.next(on: .updatePerson, .status(503))
            #expect(try await profile.save { $0.firstName = .set("OfAnn") } == .pending)
            try await profile.personalize(Self.bob, forceDepersonalize: true)
            #expect(world.people.person(externalUserID: "ann")?.firstName == "OfAnn")
            #expect(world.people.person(externalUserID: "bob")?.firstName == nil)
            // Where it cannot be sent, nobody comes.
            world.emulator.weather.always(on: .updatePerson, .status(503))
            #expect(try await profile.save { $0.firstName = .set("OfBob") } == .pending)
            #expect(await code { try await profile.personalize(Self.ann, forceDepersonalize: true) } == .serverFailure)
            #expect(profile.user.externalUserID == "bob")
        }
    }

    @Test func aRegistrationWithoutAnAnswerIsAskedForAgain() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            world.emulator.weather.next(on: .createInstallation, .replyLost, times: 2)
            try await it.profile.setPushToken("AA")
            try await world.settle(it)
            let id = try await it.profile.registration()
            #expect(world.people.installations().map(\.id) == [id])
        }
    }

    @Test func aDepersonalizeWithoutAnAnswerIsAskedForAgain() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            try await it.profile.register()
            try await it.profile.personalize(Self.ann)
            world.emulator.weather.next(on: .depersonalize, .replyLost)
            #expect(try await it.profile.depersonalize() == .pending)
            try await world.settle(it)
            #expect(!it.profile.isDepersonalizationPending)
            #expect(world.people.person(externalUserID: "ann")?.installations == [])
        }
    }

    @Test func aPauseThatTheServiceAsksForIsKept() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            try await it.profile.register()
            world.emulator.weather.next(on: .updatePerson, .status(429, retryAfter: .seconds(30)))
            #expect(try await it.profile.save { $0.firstName = .set("A") } == .pending)
            #expect(try await it.profile.save { $0.lastName = .set("B") } == .pending)
            #expect(await code { try await it.profile.fetchUser() } == .throttled)
            let count = world.requests.count
            world.clock.advance(by: .seconds(29))
            try await it.profile.settled()
            #expect(world.requests.count == count)
            world.clock.advance(by: .seconds(1))
            try await world.settle(it)
            #expect(world.lastBody(on: .updatePerson) == #"{"firstName":"A","lastName":"B"}"#)
            #expect(!it.profile.hasPendingChanges)
        }
    }

    @Test func manyCallsThatFindTheRegistrationGoneMakeOneNewOne() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(Self.ann)
            world.people.expireInstallation(id)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<5 {
                    group.addTask { try await profile.fetchUser() }
                    group.addTask { try await profile.save { $0.customAttributes["\(index)"] = .set(1) } }
                    group.addTask { try await profile.fetchInstallation() }
                }
                try await group.waitForAll()
            }
            #expect(world.people.requests(on: .createInstallation).count == 2)
            #expect(world.people.requests(on: .repersonalize).count == 1)
            #expect(world.people.person(externalUserID: "ann")?.attributes.count == 5)
        }
    }

    @Test func whatAPersonalizeSaysIsNewerThanWhatWaits() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, _ in
            world.emulator.weather.next(on: .updatePerson, .status(503))
            try await profile.save {
                $0.firstName = .set("old")
                $0.lastName = .set("kept")
            }
            var attributes = ProfileAttributes()
            attributes.firstName = "new"
            try await profile.personalize(Self.ann, attributes: attributes)
            try await profile.settled()
            let person = try #require(world.people.person(externalUserID: "ann"))
            #expect((person.firstName, person.lastName) == ("new", "kept"))
        }
    }

    @Test func oneRequestOfAnInstallationIsUnderWayAtATime() async throws {
        let world = try ProfileWorld()
        try await world.live { signet, it in
            let profile = it.profile
            try await profile.register()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<10 {
                    group.addTask { try await profile.fetchUser() }
                    group.addTask { try await profile.save { $0.firstName = .set("\(index)") } }
                    group.addTask { try await profile.submit(ProfileEvent("e")) }
                }
                try await group.waitForAll()
            }
            #expect(signet.transport.maximumInFlight == 1)
            #expect(world.people.events().count == 10)
        }
    }
}
