//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A login of which the profile service hears late: what is saved and told meanwhile is of who has logged in.
@Suite struct ProfileLateLoginTests {
    private static func link(_ configuration: inout SignetConfiguration) {
        configuration.profiles?.linksIdentity = true
    }

    @Test func aSaveDoesNotOvertakeTheLogin() async throws {
        let world = try ProfileWorld()
        let number = try #require(world.people.makePerson(externalUserID: "ann"))
        world.people.updatePerson(number, #"{"firstName":"Old"}"#)
        try await world.live(configure: Self.link) { _, it in
            try await it.profile.register()
            world.emulator.weather.always(on: .personalize, .status(503))
            try await it.login([.customerID: "ann"])
            try await it.profile.settled()
            // Nobody waits for ever, either.
            #expect(try await it.profile.save { $0.firstName = .set("New") } == .pending)
            #expect(await code { try await it.profile.fetchInstallation() } == .serverFailure)
            #expect(world.people.requests(on: .updatePerson).isEmpty)
            world.emulator.weather.clear()
            #expect(try await it.profile.save { $0.lastName = .set("Lee") } == .done)
            let person = try #require(world.people.person(externalUserID: "ann"))
            #expect((person.firstName, person.lastName) == ("New", "Lee"))
        }
    }

    @Test(arguments: [false, true])
    func whatWasSavedForSomebodyIsTheirsThoughSomebodyElseHasCome(isLogout: Bool) async throws {
        let world = try ProfileWorld()
        try await world.live(configure: Self.link) { _, it in
            try await it.profile.register()
            world.emulator.weather.always(on: .personalize, .status(503))
            try await it.login([.customerID: "ann"])
            _ = try await it.profile.save { $0.firstName = .set("Ann") }
            try await it.profile.submit(ProfileEvent("of-ann"), .queued)
            if isLogout { try await it.logout() } else { try await it.login([.customerID: "bob"]) }
        }
        world.emulator.weather.clear()
        try await world.live(configure: Self.link) { _, it in
            try await world.settle(it)
            let ann = try #require(world.people.person(externalUserID: "ann"))
            #expect(ann.firstName == "Ann" && ann.installations.isEmpty)
            #expect(world.people.events(of: ann.number).map(\.definitionID) == ["of-ann"])
            let id = try await it.profile.registration()
            #expect(world.people.person(of: id)?.externalUserID == (isLogout ? nil : "bob"))
            #expect(world.people.person(of: id)?.firstName == nil)
            #expect(world.people.events().count == 1)
        }
    }

    /// The service never takes who it was: what was told of them is told of nobody, and counted.
    @Test func whoIsRefusedIsNotSaidGoodbyeTo() async throws {
        let world = try ProfileWorld()
        try await world.live(configure: Self.link) { signet, it in
            try await it.profile.register()
            world.emulator.weather.always(on: .personalize, .status(503))
            try await it.login([.customerID: "ann"])
            _ = try await it.profile.save { $0.firstName = .set("Ann") }
            try await it.profile.submit(ProfileEvent("of-ann"), .queued)
            world.emulator.weather.clear()
            let no = Weather.Fault.refused(status: 400, code: "USER_DATA_RESTRICTED", message: "no")
            world.emulator.weather.next(on: .personalize, no)
            try await it.logout()
            try await world.settle(it)
            #expect(world.people.person(externalUserID: "ann") == nil)
            #expect(world.people.events().isEmpty)
            #expect(world.people.people().allSatisfy { $0.firstName == nil })
            let statistics = signet.runtime.statistics
            #expect((statistics.profileChangesDropped, statistics.profileEventsDropped) == (1, 1))
        }
    }

    /// The push token is known to the service as a stranger's, of whom nothing is known here: what was for somebody whom it
    /// does not take is not for the stranger either.
    @Test(arguments: [false, true])
    func whatWasForSomebodyWhoIsImpossibleIsNotForTheStranger(isFollowed: Bool) async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(ProfileIdentity(externalUserID: "carl"))
        }
        let folder = try TemporaryFolder()
        try await world.live(in: folder.path, configure: Self.link) { signet, it in
            let id = try await it.profile.register()
            #expect(world.people.person(of: id)?.externalUserID == "carl")
            world.emulator.weather.always(on: .personalize, .status(503))
            try await it.login([.customerID: "ann"])
            #expect(try await it.profile.save { $0.firstName = .set("Ann") } == .pending)
            world.emulator.weather.clear()
            let no = Weather.Fault.refused(status: 400, code: "PERSONALIZATION_IMPOSSIBLE", message: "no")
            world.emulator.weather.next(on: .personalize, no)
            world.emulator.weather.always(on: .depersonalize, .status(503))
            if isFollowed {
                world.emulator.weather.always(on: .personalize, .status(503))
                try await it.profile.retry()
                try await it.profile.settled()
                try await it.logout()
            } else {
                world.emulator.weather.always(on: .personalize, .refused(status: 400, code: "9", message: "no"))
            }
            try await world.settle(it, orUntil: { signet.runtime.statistics.profileChangesDropped > 0 })
            #expect(signet.runtime.statistics.profileChangesDropped == 1)
            world.emulator.weather.clear()
            try await world.settle(it)
            #expect(world.people.people().allSatisfy { $0.firstName == nil })
        }
    }

    /// What waited before a login is older than what the login says.
    @Test func whatALoginSaysIsNewerThanWhatWaited() async throws {
        let world = try ProfileWorld()
        try await world.live(configure: Self.link) { _, it in
            try await it.profile.register()
            world.emulator.weather.always(on: .updatePerson, .status(503))
            world.emulator.weather.always(on: .personalize, .status(503))
            let emails = ["old@people.example", "ann@people.example"]
            #expect(try await it.profile.save { $0.emails = .set(emails) } == .pending)
            try await it.login([.customerID: "ann", .email: "ann@people.example"])
            try await it.profile.submit(ProfileEvent("of-ann"), .queued)
            try await it.login([.customerID: "bob"])
            world.emulator.weather.clear()
            try await world.settle(it)
            let ann = try #require(world.people.person(externalUserID: "ann"))
            #expect(ann.emails == ["ann@people.example"])
            #expect(world.people.events(of: ann.number).map(\.definitionID) == ["of-ann"])
        }
    }
}
