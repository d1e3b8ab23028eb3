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

/// The checklist of facts 9, rows 21, 22, 24, 25, 48 and 60: registrations that are lost, old or another's, and people who
/// are erased.
@Suite struct ProfileRecoveryTests {
    private static let ann = ProfileIdentity(externalUserID: "ann")

    @Test func row21AllInstallationsOfThePersonAreFetched() async throws {
        let world = try ProfileWorld()
        try await world.live { signet, it in
            let own = try await it.profile.register()
            try await it.profile.personalize(Self.ann)
            let other = try signet.runtime.open("other", identify: .none).profile
            let id = try await other.register("BB")
            try await other.personalize(Self.ann, setDeviceAsPrimary: true)
            #expect(it.profile.user.installations.map(\.pushRegistrationID) == [own])
            let installations = try await it.profile.fetchInstallations()
            #expect(installations.map(\.pushRegistrationID) == [own, id])
            #expect(installations.map(\.isPrimary) == [false, true])
            #expect(it.profile.user.installations == installations)
        }
    }

    @Test func row22ARegistrationFromBeforeIsEndedAgainUntilTheServiceHasDoneItOnce() async throws {
        let world = try ProfileWorld()
        try await world.live { signet, it in
            let orphan = try await signet.runtime.open("old", identify: .none).profile.register("BB")
            let id = try await it.profile.register()
            world.emulator.weather.next(on: .expireInstallation, .status(503))
            try await it.profile.expireFormerRegistration(orphan)
            try await it.profile.expireFormerRegistration(orphan)
            try await it.profile.settled()
            #expect(world.people.installations().map(\.id).contains(orphan))
            try await world.settle(it)
            #expect(world.people.installations().map(\.id) == [id])
            #expect(world.people.requests(on: .expireInstallation).map(\.target) == [orphan])
        }
    }

    @Test func row24AnotherApplicationHearsNothingOfWhatWaitedForTheOneBefore() async throws {
        let applications = [EmulatedApplication(), EmulatedApplication(code: "another")]
        let world = try ProfileWorld(applications)
        let another = try #require(world.emulator.people(in: "another"))
        var former: String?
        try await world.liveRegistered { profile, id in
            former = id
            try await profile.personalize(Self.ann)
            world.emulator.weather.always(.connectionRefused)
            #expect(try await profile.save { $0.firstName = .set("first-of-ann") } == .pending)
            #expect(try await profile.saveOwn { $0.customAttributes["a"] = .set("attribute-of-ann") } == .pending)
            try await profile.submit(ProfileEvent("event-of-ann"), .queued)
        }
        world.emulator.weather.clear()
        for life in 1...2 {
            try await world.live(configure: { $0.profiles?.applicationCode = "another" }) { signet, it in
                #expect(!it.profile.hasPendingChanges)
                #expect(it.profile.user == UserProfile())
                #expect(signet.runtime.statistics.profileEventsDropped == (life == 1 ? 1 : 0))
                try await world.settle(it)
                #expect(it.profile.installation.customAttributes.isEmpty)
                #expect(it.profile.installation.pushRegistrationID != former)
            }
        }
        let requests = another.requests().filter { $0.route != .baseURL }
        #expect(requests.map(\.route) == [.createInstallation, .expireInstallation])
        #expect(requests.last?.target == former)
        #expect(requests.allSatisfy { !$0.bodyJSON.contains("of-ann") })
        #expect(another.events().isEmpty && world.people.events().isEmpty)
        #expect(world.people.person(externalUserID: "ann")?.firstName == nil)
    }

    @Test func row25WhatALeadHadIsSavedAgain() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            try await profile.save {
                $0.firstName = .set("A")
                $0.customAttributes["n"] = .set(1)
            }
            try await profile.saveOwn { $0.applicationUserID = .set("u") }
            world.people.expireInstallation(id)
            #expect(try await profile.fetchUser().firstName == "A")
            try await profile.settled()
            let second = try #require(profile.installation.pushRegistrationID)
            #expect(second != id)
            let person = try #require(world.people.person(of: second))
            #expect(person.firstName == "A" && person.attributes == ["n": 1])
            #expect(world.people.installation(second)?.applicationUserID == "u")
            // There is nobody whom it could be said to be of.
            #expect(world.people.requests(on: .repersonalize).isEmpty)
        }
    }

    @Test func row25ARegistrationThatIsMadeGoodTakesNothingFromOthers() async throws {
        let world = try ProfileWorld()
        try await world.live { signet, it in
            let other = try signet.runtime.open("other", identify: .none).profile
            let primary = try await other.register("BB")
            try await other.personalize(Self.ann, setDeviceAsPrimary: true)
            let id = try await it.profile.register()
            try await it.profile.personalize(Self.ann)
            world.people.expireInstallation(id)
            try await it.profile.fetchUser()
            try await it.profile.settled()
            let second = try #require(it.profile.installation.pushRegistrationID)
            #expect(second != id)
            #expect(world.people.person(externalUserID: "ann")?.installations == [primary, second])
            #expect(world.people.installation(primary)?.isPrimary == true)
            #expect(world.people.installation(second)?.isPrimary == false)
            #expect(!it.profile.installation.isPrimary)
        }
    }

    /// While a registration was lost, another device has said newer things.
    @Test func row25WhatTheServiceStillKnowsIsNotOverwritten() async throws {
        let world = try ProfileWorld()
        try await world.live { signet, it in
            let id = try await it.profile.register()
            var attributes = ProfileAttributes()
            attributes.firstName = "Ann"
            attributes.lastName = "Lee"
            try await it.profile.personalize(Self.ann, attributes: attributes)
            let other = try signet.runtime.open("other", identify: .none).profile
            try await other.register("BB")
            try await other.personalize(Self.ann)
            try await other.save {
                $0.firstName = .set("Anna")
                $0.lastName = .clear
            }
            world.people.expireInstallation(id)
            #expect(try await it.profile.save { $0.middleName = .set("M") } == .done)
            try await it.profile.settled()
            let person = try #require(world.people.person(externalUserID: "ann"))
            #expect((person.firstName, person.middleName, person.lastName) == ("Anna", "M", nil))
            #expect(person.installations.count == 2)
            #expect((it.profile.user.firstName, it.profile.user.lastName) == ("Anna", nil))
        }
    }

    /// Nobody is served before it is known what the service has lost, and a further life asks again.
    @Test func row25WhatWasKnownIsNotForgottenBeforeTheServiceHasIt() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            var attributes = ProfileAttributes()
            attributes.lastName = "Lee"
            try await profile.personalize(Self.ann, attributes: attributes)
            let number = try #require(world.people.person(externalUserID: "ann")?.number)
            world.people.updatePerson(number, #"{"lastName":null}"#)
            world.people.expireInstallation(id)
            world.emulator.weather.always(on: .fetchPerson, .status(503))
            #expect(try await profile.save { $0.firstName = .set("A") } == .pending)
            #expect(await code { try await profile.personalize(Self.ann) } == .serverFailure)
        }
        world.emulator.weather.clear()
        try await world.live { _, it in
            try await world.settle(it)
            let person = try #require(world.people.person(externalUserID: "ann"))
            #expect((person.firstName, person.lastName) == ("A", "Lee"))
        }
    }

    /// What was saved for somebody whom the service does not give back is for nobody else, and their caller hears of it.
    @Test func row25WhoIsNotGivenBackIsFetched() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(Self.ann)
            world.people.expireInstallation(id)
            let no = Weather.Fault.refused(status: 400, code: "AMBIGUOUS_PERSONALIZE_CANDIDATES", message: "no")
            world.emulator.weather.next(on: .repersonalize, no)
            #expect(await code { try await profile.save { $0.firstName = .set("OfAnn") } } == .personUnknown)
            try await profile.settled()
            let second = try #require(profile.installation.pushRegistrationID)
            // What went with them is not known either.
            #expect(world.routes.suffix(3) == [.createInstallation, .fetchPerson, .fetchInstallation])
            #expect(profile.user.externalUserID == nil && profile.user.type == .lead)
            #expect(world.people.person(of: second)?.firstName == nil)
            #expect(world.people.person(externalUserID: "ann")?.firstName == nil)
            #expect(!profile.hasPendingChanges)
            #expect(try await profile.save { $0.firstName = .set("OfTheLead") } == .done)
            #expect(world.people.person(of: second)?.firstName == "OfTheLead")
        }
    }

    @Test(.watched) func row48WhatIsSaidOfAnotherRegistrationIsNotOfOnesOwn() async throws {
        let world = try ProfileWorld()
        try await world.live { signet, it in
            let other = try signet.runtime.open("other", identify: .none).profile
            let id = try await other.register("BB")
            try await other.personalize(Self.ann)
            let own = try await it.profile.register()
            try await it.profile.personalize(Self.ann)
            world.people.expireInstallation(id)
            let error = await #expect(throws: SignetError.self) { try await it.profile.depersonalizeInstallation(id) }
            #expect(error?.code == .refused)
            #expect(error?.errors.map(\.code) == ["NO_REGISTRATION"])
            #expect(await code { try await it.profile.setPrimary(id) } == .refused)
            try await it.profile.settled()
            #expect(it.profile.installation.pushRegistrationID == own)
            #expect(world.people.requests(on: .createInstallation).count == 2)
            // The list is as the service said it last.
            #expect(it.profile.user.installations.map(\.pushRegistrationID) == [id, own])
        }
    }

    @Test func row60WhatIsErasedMeanwhileStaysErased() async throws {
        for route in [EmulatorRoute.fetchPerson, .personalize, .updatePerson] {
            let world = try ProfileWorld()
            try await world.live { signet, it in
                let mpid = try await it.login([.customerID: "c"]).user.mpid
                let profile = it.profile
                try await profile.register()
                try await profile.personalize(Self.ann)
                try await profile.save { $0.firstName = .set("first-of-ann") }
                let gate = EmulatorGate()
                world.emulator.weather.next(on: route, .replyHeld(gate))
                async let called = code {
                    switch route {
                    case .fetchPerson: try await profile.fetchUser()
                    case .personalize: try await profile.personalize(Self.ann)
                    default: try await profile.save { $0.middleName = .set("middle-of-ann") }
                    }
                }
                await gate.arrived()
                try await signet.runtime.forget(mpid)
                #expect(profile.user == UserProfile())
                gate.open()
                let found = await called
                // What was saved is not known to be lost; nobody waits for it any more.
                let expected: SignetError.Code? = route == .updatePerson ? nil : .cancelled
                #expect(found == expected, "\(route)")
                try await profile.settled()
                #expect(profile.user == UserProfile(), "\(route)")
                #expect(!profile.hasPendingChanges, "\(route)")
                try await signet.runtime.disk.syncTogether()
                #expect(try !allBytes(in: world.folder.path).contains("of-ann"), "\(route)")
            }
        }
    }
}
