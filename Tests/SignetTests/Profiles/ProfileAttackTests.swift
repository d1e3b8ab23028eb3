//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import SignetWire
import Testing

@testable import Signet

/// What attacks on profiles have found.
@Suite(.watched) struct ProfileAttackTests {
    private static let ann = ProfileIdentity(externalUserID: "ann")

    @Test func eventsAndSessionsAreNotOnDiskWhereNothingOfAPersonIsToBe() async throws {
        let world = try ProfileWorld()
        // What an earlier run has kept goes, too.
        try await world.live { signet, it in
            try await it.profile.register()
            try await it.profile.submit(ProfileEvent("early-of-ann"), .queued)
            try await signet.runtime.disk.syncTogether()
            #expect(try allBytes(in: world.folder.path).contains("of-ann"))
        }
        try await world.live(configure: { $0.profiles?.persistsUserData = false }) { signet, it in
            try await it.profile.submit(ProfileEvent("event-of-ann"), .queued)
            try await it.profile.setActive(true)
            try await signet.runtime.disk.syncTogether()
            #expect(try !allBytes(in: world.folder.path).contains("of-ann"))
            try await it.profile.setActive(false)
            try await world.settle(it)
            // Memory keeps it whole.
            #expect(world.people.events().map(\.definitionID) == ["event-of-ann"])
        }
    }

    @Test func whoIsErasedLeavesNothingBehindAlsoWhenSomebodyElseHasCome() async throws {
        for isOpen in [true, false] {
            let world = try ProfileWorld()
            func configure(_ configuration: inout SignetConfiguration) {
                configuration.profiles?.linksIdentity = true
            }
            var ann: MPID?
            try await world.live(configure: configure) { _, it in
                ann = try await it.login([.customerID: "ann"]).user.mpid
                try await it.profile.register()
                try await it.profile.settled()
                world.emulator.weather.always(on: .updatePerson, .status(503))
                world.emulator.weather.always(on: .customEvents, .status(503))
                #expect(try await it.profile.save { $0.firstName = .set("first-of-ann") } == .pending)
                try await it.profile.submit(ProfileEvent("event-of-ann"), .queued)
                try await it.login([.customerID: "bob"])
                #expect(try allBytes(in: world.folder.path).contains("of-ann"))
            }
            let signet = try world.start(configure: configure)
            try await signet.run { signet in
                if isOpen { _ = try signet.runtime.open("p", identify: .none) }
                try await signet.runtime.forget(try #require(ann))
                #expect(try !allBytes(in: world.folder.path).contains("of-ann"), "\(isOpen)")
                #expect(signet.runtime.statistics.profileEventsDropped == 1)
                world.emulator.weather.clear()
                let it = try signet.runtime.open("p", identify: .none)
                try await world.settle(it)
                #expect(world.people.person(externalUserID: "bob")?.installations.count == 1)
            }
        }
    }

    /// An application that is not let in says so to whoever waits for its registration.
    @Test func whoAwaitsARegistrationIsToldThatItIsRefused() async throws {
        for fault in [Weather.Fault.status(403), .refused(status: 400, code: "REQUEST_FORMAT_INVALID", message: "no")] {
            let world = try ProfileWorld()
            try await world.live { _, it in
                world.emulator.weather.always(on: .createInstallation, fault)
                try await it.profile.setPushToken("AA")
                let found = await code { _ = try await it.profile.registration() }
                #expect(found == .unauthorized || found == .refused)
                world.emulator.weather.clear()
                // The network's failures are waited out.
                world.emulator.weather.next(on: .createInstallation, .connectionRefused)
                async let id = it.profile.registration()
                try await world.settle(it)
                #expect(try await id.isEmpty == false)
            }
        }
    }

    @Test func aRefusedAttributeDoesNotTakeThePushTokenWithIt() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            world.emulator.weather.next(on: .updateInstallation, .status(503))
            try await profile.setPushToken("BB02")
            try await profile.settled()
            let no = Weather.Fault.refused(status: 400, code: "REQUEST_FORMAT_INVALID", message: "no")
            world.emulator.weather.next(on: .updateInstallation, no)
            #expect(await code { try await profile.saveOwn { $0.customAttributes["a"] = .set(1) } } == .refused)
            try await profile.settled()
            #expect(world.lastBody(on: .updateInstallation)?.contains("bb02") == true)
            #expect(world.people.requests(on: .updateInstallation).count == 1)
            #expect(!profile.hasPendingChanges)
        }
    }

    @Test(arguments: ["PHONE_INVALID", "EMAIL_INVALID", "USER_DATA_RESTRICTED"])
    func aRefusalTakesAwayWhatItNamesAndNothingElse(messageID: String) async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            let id = try await it.profile.register()
            try await it.profile.fetchUser()
            world.emulator.weather.next(on: .updatePerson, .refused(status: 400, code: messageID, message: "no"))
            let refusal = await code {
                try await it.profile.save {
                    $0.firstName = .set("A")
                    $0.phones = .set(["385910000001"])
                    $0.emails = .set(["a@people.example"])
                }
            }
            #expect(refusal == .refused)
            try await world.settle(it)
            let person = try #require(world.people.person(of: id))
            // Where nothing is named, it may be all of it.
            let isNamed = messageID != "USER_DATA_RESTRICTED"
            #expect(person.firstName == (isNamed ? "A" : nil))
            #expect(person.phones == (messageID == "EMAIL_INVALID" ? ["385910000001"] : []))
            #expect(person.emails == (messageID == "PHONE_INVALID" ? ["a@people.example"] : []))
            #expect(it.profile.user.phones == person.phones)
            #expect(it.profile.user.firstName == person.firstName)
        }
    }

    @Test func theAppsForegroundIsTheProfilesUse() async throws {
        let world = try ProfileWorld()
        try await world.live(configure: { $0.sessions.mode = .application }) { _, it in
            // Said before the profile was ever used.
            try it.enterForeground()
            let id = try await it.profile.register()
            try await until("the profile is in use") { try await it.profile.manager().machine.isActive }
            // Told after the registration, the use has a report on its way, which is not to be of the background.
            try await it.profile.settled()
            try it.enterBackground()
            try await until("the profile is not in use") { try await !it.profile.manager().machine.isActive }
            try it.enterForeground()
            try await until("the profile is in use") { try await it.profile.manager().machine.isActive }
            try await it.profile.settled()
            #expect(world.people.installation(id)?.sessions.count == 1)
            #expect(world.requests.last?.isForeground == true)
        }
    }

    @Test func aServersInstallationIsInNobodysHands() async throws {
        let world = try ProfileWorld()
        try await world.live(configure: { $0.sessions.mode = .server }) { _, it in
            try await it.profile.register()
            try it.enterForeground()
            try await it.profile.settled()
            #expect(await !(try it.profile.manager()).machine.isActive)
        }
    }

    @Test func whatCannotBeWrittenDownFirstIsNotSent() async throws {
        let world = try ProfileWorld()
        try await world.live { signet, it in
            try await it.profile.register()
            try await it.profile.settled()
            let count = world.requests.count
            signet.runtime.disk.close()
            // Whose it is would not be known after a death in the middle.
            #expect(await code { try await it.profile.personalize(Self.ann, forceDepersonalize: true) } != nil)
            #expect(world.requests.count == count)
        }
    }

    @Test func whatWasAnsweredBadlyMayHaveHappened() {
        let rows: [(ProfileVerdict, Bool)] = [
            (.failed(status: 503, retryAfter: nil), true), (.unusable(status: 200), true),
            (.throttled(retryAfter: nil), false), (.unauthorized(status: 403), false), (.rejected(status: 408), true),
        ]
        for (verdict, expected) in rows {
            guard
                case .failed(_, let mayHaveHappened)? = ProfileStateMachine.Answer(
                    verdict,
                    to: .fetchUser("1"),
                    of: "1"
                )
            else {
                Issue.record("\(verdict) is no failure")
                continue
            }
            #expect(mayHaveHappened == expected, "\(verdict)")
        }
    }

    @Test func oneAtIsOneCharacterHoweverItIsDecorated() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, _ in
            let address = "a@\u{301}b@c"
            #expect(await code { try await profile.save { $0.emails = .set([address]) } } == .invalidArgument)
        }
    }
}
