// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import SignetWire
import Testing

@testable import Signet
@testable import SignetInfobip

/// What attacks on profiles have found.
@Suite(.watched) struct InfobipAttackTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")

    @Test func eventsAndSessionsAreNotOnDiskWhereNothingOfAPersonIsToBe() async throws {
        let world = try InfobipWorld()
        // What an earlier run has kept goes, too.
        try await world.live { signet, it in
            try await it.infobip.register()
            try await it.infobip.submit(InfobipEvent("early-of-ann"), .queued)
            try await signet.runtime.context.disk.syncTogether()
            #expect(try allBytes(in: world.folder.path).contains("of-ann"))
        }
        try await world.live(configure: { $0.infobip?.persistsUserData = false }) { signet, it in
            try await it.infobip.submit(InfobipEvent("event-of-ann"), .queued)
            try await it.infobip.setActive(true)
            try await signet.runtime.context.disk.syncTogether()
            #expect(try !allBytes(in: world.folder.path).contains("of-ann"))
            try await it.infobip.setActive(false)
            try await world.settle(it)
            // Memory keeps it whole.
            #expect(world.infobip.events().map(\.definitionID) == ["event-of-ann"])
        }
    }

    @Test func whoIsErasedLeavesNothingBehindAlsoWhenSomebodyElseHasCome() async throws {
        for isOpen in [true, false] {
            let world = try InfobipWorld()
            func configure(_ configuration: inout ServiceSettings) {
                configuration.infobip?.followsLogin = true
            }
            var ann: MPID?
            try await world.live(configure: configure) { _, it in
                ann = try await it.login([.customerID: "ann"]).user.mpid
                try await it.infobip.register()
                try await it.infobip.waitUntilIdle()
                world.emulator.faults.injectAlways(.status(503), on: .updatePerson)
                world.emulator.faults.injectAlways(.status(503), on: .customEvents)
                #expect(try await it.infobip.save { $0.firstName = .set("first-of-ann") } == .pending)
                try await it.infobip.submit(InfobipEvent("event-of-ann"), .queued)
                try await it.login([.customerID: "bob"])
                #expect(try allBytes(in: world.folder.path).contains("of-ann"))
            }
            let signet = try world.start(configure: configure)
            try await signet.run { signet in
                if isOpen { _ = try await signet.runtime.open("p", identify: .none) }
                try await signet.runtime.eraseUser(try #require(ann))
                #expect(try !allBytes(in: world.folder.path).contains("of-ann"), "\(isOpen)")
                #expect(signet.runtime.statistics.infobipEventsDropped == 1)
                world.emulator.faults.clear()
                let it = try await signet.runtime.open("p", identify: .none)
                try await world.settle(it)
                #expect(world.infobip.person(externalUserID: "bob")?.installations.count == 1)
            }
        }
    }

    /// An application that is not let in says so to whoever waits for its registration.
    @Test func whoAwaitsARegistrationIsToldThatItIsRefused() async throws {
        for fault in [
            FaultInjector.Fault.status(403), .refused(status: 400, code: "REQUEST_FORMAT_INVALID", message: "no"),
        ] {
            let world = try InfobipWorld()
            try await world.live { _, it in
                world.emulator.faults.injectAlways(fault, on: .createInstallation)
                try await it.infobip.setPushToken("AA")
                let found = await code { _ = try await it.infobip.registration() }
                #expect(found == .unauthorized || found == .rejected)
                world.emulator.faults.clear()
                // The network's failures are waited out.
                world.emulator.faults.inject(.connectionRefused, on: .createInstallation)
                async let id = it.infobip.registration()
                try await world.settle(it)
                #expect(try await id.isEmpty == false)
            }
        }
    }

    @Test func aRefusedAttributeDoesNotTakeThePushTokenWithIt() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            world.emulator.faults.inject(.status(503), on: .updateInstallation)
            try await profile.setPushToken("BB02")
            try await profile.waitUntilIdle()
            let no = FaultInjector.Fault.refused(status: 400, code: "REQUEST_FORMAT_INVALID", message: "no")
            world.emulator.faults.inject(no, on: .updateInstallation)
            #expect(await code { try await profile.saveOwn { $0.customAttributes["a"] = .set(1) } } == .rejected)
            try await profile.waitUntilIdle()
            #expect(world.lastBody(on: .updateInstallation)?.contains("bb02") == true)
            #expect(world.infobip.requests(on: .updateInstallation).count == 1)
            #expect(!profile.hasPendingChanges)
        }
    }

    @Test(arguments: ["PHONE_INVALID", "EMAIL_INVALID", "USER_DATA_RESTRICTED"])
    func aRefusalTakesAwayWhatItNamesAndNothingElse(messageID: String) async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            try await it.infobip.fetchUser()
            world.emulator.faults.inject(.refused(status: 400, code: messageID, message: "no"), on: .updatePerson)
            let refusal = await code {
                try await it.infobip.save {
                    $0.firstName = .set("A")
                    $0.phones = .set(["385910000001"])
                    $0.emails = .set(["a@people.example"])
                }
            }
            #expect(refusal == .rejected)
            try await world.settle(it)
            let person = try #require(world.infobip.person(of: id))
            // Where nothing is named, it may be all of it.
            let isNamed = messageID != "USER_DATA_RESTRICTED"
            #expect(person.firstName == (isNamed ? "A" : nil))
            #expect(person.phones == (messageID == "EMAIL_INVALID" ? ["385910000001"] : []))
            #expect(person.emails == (messageID == "PHONE_INVALID" ? ["a@people.example"] : []))
            #expect(it.infobip.user.phones == person.phones)
            #expect(it.infobip.user.firstName == person.firstName)
        }
    }

    @Test func theAppsForegroundIsTheProfilesUse() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: { $0.sessions.mode = .application }) { _, it in
            // Said before the profile was ever used.
            try it.enterForeground()
            let id = try await it.infobip.register()
            try await until("the profile is in use") { try await it.infobip.manager().machine.isActive }
            // Told after the registration, the use has a report on its way, which is not to be of the background.
            try await it.infobip.waitUntilIdle()
            try it.enterBackground()
            try await until("the profile is not in use") { try await !it.infobip.manager().machine.isActive }
            try it.enterForeground()
            try await until("the profile is in use") { try await it.infobip.manager().machine.isActive }
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.installation(id)?.sessions.count == 1)
            #expect(world.requests.last?.isForeground == true)
        }
    }

    @Test func aServersInstallationIsInNobodysHands() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: { $0.sessions.mode = .server }) { _, it in
            try await it.infobip.register()
            try it.enterForeground()
            try await it.infobip.waitUntilIdle()
            #expect(await !(try it.infobip.manager()).machine.isActive)
        }
    }

    @Test func whatCannotBeWrittenDownFirstIsNotSent() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            try await it.infobip.register()
            try await it.infobip.waitUntilIdle()
            let count = world.requests.count
            signet.runtime.context.disk.close()
            // Whose it is would not be known after a death in the middle.
            #expect(await code { try await it.infobip.personalize(Self.ann, forceDepersonalize: true) } != nil)
            #expect(world.requests.count == count)
        }
    }

    /// A page may stand in place of the answer of the service, whatever its status.
    ///
    /// A repetition finds out what has happened. Only a refusal of access says that nothing was done.
    @Test func whatWasAnsweredBadlyMayHaveHappened() {
        var rows: [(InfobipVerdict, Bool)] = [
            (.failed(status: 503, retryAfter: nil), true), (.unusable(status: 200), true),
            (.throttled(retryAfter: nil), false), (.unauthorized(status: 403), false),
        ]
        rows += [400, 404, 405, 407, 408, 409, 410, 413, 421, 425, 499].map { (.rejected(status: $0), true) }
        rows += [301, 302, 307].map { (.unusable(status: $0), true) }
        rows += [500, 502, 504].map { (.failed(status: $0, retryAfter: nil), true) }
        for (verdict, expected) in rows {
            guard
                case .failed(_, let mayHaveHappened)? = InfobipStateMachine.Answer(
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
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            let address = "a@\u{301}b@c"
            #expect(await code { try await profile.save { $0.emails = .set([address]) } } == .invalidArgument)
        }
    }
}
