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

/// Logins that profiles follow, as linked work.
@Suite struct ProfileFollowingTests {
    private static func link(_ configuration: inout SignetConfiguration) {
        configuration.profiles?.linksIdentity = true
    }

    private static func next(_ outcomes: inout LinkedOutcomes.AsyncIterator) async -> String {
        guard let outcome = await outcomes.next(isolation: nil) else { return "end" }
        let kind =
            switch outcome.kind {
            case .done: "done"
            case .failed(let error): "failed \(error.code)"
            case .superseded: "superseded"
            }
        return "\(outcome.service) \(kind)"
    }

    @Test func aLoginPersonalizesAndALogoutDepersonalizes() async throws {
        let world = try ProfileWorld()
        try await world.live(configure: Self.link) { _, it in
            var outcomes = it.linkedOutcomes.makeAsyncIterator()
            let id = try await it.profile.register()
            try await it.profile.save { $0.firstName = .set("Lead") }
            try await it.login([.customerID: "ann", .email: "ann@example.com"])
            #expect(await Self.next(&outcomes) == "profiles done")
            let ann = try #require(world.people.person(externalUserID: "ann"))
            #expect(ann.installations == [id])
            #expect(ann.emails == ["ann@example.com"])
            // The lead that nobody was named for is the person now.
            #expect(ann.firstName == "Lead")
            #expect(it.profile.user.externalUserID == "ann")
            try await it.logout()
            #expect(await Self.next(&outcomes) == "profiles done")
            #expect(world.people.person(externalUserID: "ann")?.installations == [])
            #expect(it.profile.user == UserProfile())
        }
    }

    @Test func whatWasSavedForOnePersonIsSentForThemWhoeverComesNext() async throws {
        let world = try ProfileWorld()
        try await world.live(configure: Self.link) { _, it in
            try await it.profile.register()
            try await it.login([.customerID: "ann"])
            try await it.profile.settled()
            world.emulator.weather.always(on: .updatePerson, .status(503))
            #expect(try await it.profile.save { $0.firstName = .set("OfAnn") } == .pending)
            try await it.login([.customerID: "bob"])
            #expect(it.profile.user.firstName == nil)
            #expect(await code { try await it.profile.save { $0.lastName = .set("x") } } == .depersonalizationPending)
            world.emulator.weather.clear()
            try await world.settle(it)
            #expect(try await it.profile.save { $0.lastName = .set("OfBob") } == .done)
        }
        #expect(world.people.person(externalUserID: "ann")?.firstName == "OfAnn")
        #expect(world.people.person(externalUserID: "ann")?.installations == [])
        #expect(world.people.person(externalUserID: "bob")?.lastName == "OfBob")
        #expect(world.people.person(externalUserID: "bob")?.firstName == nil)
    }

    @Test func aLoginIsFollowedByTheNextLife() async throws {
        for persists in [true, false] {
            let world = try ProfileWorld()
            func configure(_ configuration: inout SignetConfiguration) {
                Self.link(&configuration)
                configuration.profiles?.persistsUserData = persists
            }
            try await world.live(configure: configure) { _, it in
                try await it.profile.register()
                for route in [EmulatorRoute.personalize, .depersonalize] {
                    world.emulator.weather.always(on: route, .connectionRefused)
                }
                try await it.login([.customerID: "ann"])
                #expect(it.profile.hasPendingChanges)
            }
            try await world.live(configure: configure) { _, it in
                var outcomes = it.linkedOutcomes.makeAsyncIterator()
                world.emulator.weather.clear()
                try await world.settle(it)
                #expect(await Self.next(&outcomes) == "profiles done")
                #expect(world.people.person(externalUserID: "ann")?.installations.count == 1, "\(persists)")
            }
        }
    }

    @Test func anInstallationThatIsSomebodysOfWhomNothingIsKnownBecomesTheUsers() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            try await it.profile.register()
            try await it.profile.personalize(ProfileIdentity(externalUserID: "old"))
        }
        func configure(_ configuration: inout SignetConfiguration) {
            Self.link(&configuration)
            configuration.profiles?.persistsUserData = false
        }
        try await world.live(configure: configure) { _, it in
            try await it.login([.customerID: "ann"])
            try await world.settle(it)
        }
        #expect(world.people.person(externalUserID: "old")?.installations == [])
        #expect(world.people.person(externalUserID: "ann")?.installations.count == 1)
    }

    @Test func aRefusalIsTheOutcomeOfTheLinkedWorkAndTheLoginStands() async throws {
        let world = try ProfileWorld()
        try await world.live(configure: Self.link) { _, it in
            var outcomes = it.linkedOutcomes.makeAsyncIterator()
            try await it.profile.register()
            let no = Weather.Fault.refused(status: 400, code: "USER_DATA_RESTRICTED", message: "no")
            world.emulator.weather.next(on: .personalize, no)
            let user = try await it.login([.customerID: "ann"]).user
            #expect(it.currentUser?.mpid == user.mpid)
            #expect(await Self.next(&outcomes) == "profiles failed refused")
            // A user whom the service cannot name is somebody else all the same.
            try await it.login([.customerID: "null"])
            #expect(await Self.next(&outcomes) == "profiles failed invalidArgument")
        }
    }

    @Test func aNewerLoginTakesTheOlderOnesPlace() async throws {
        let world = try ProfileWorld()
        try await world.live(configure: Self.link) { _, it in
            var outcomes = it.linkedOutcomes.makeAsyncIterator()
            // Without a push token nobody can be told.
            try await it.login([.customerID: "ann"])
            try await it.login([.customerID: "bob"])
            try await it.profile.register()
            #expect(await Self.next(&outcomes) == "profiles superseded")
            #expect(await Self.next(&outcomes) == "profiles done")
            #expect(world.people.person(externalUserID: "ann") == nil)
            #expect(world.people.person(externalUserID: "bob") != nil)
        }
    }
}
