// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// What a lost registration is made good with, and what comes in between.
@Suite(.watched) struct InfobipRestoringTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")
    private static let gone = FaultInjector.Fault.refused(status: 400, code: "NO_REGISTRATION", message: "gone")

    // MARK: - What comes in between

    @Test func whoGoesWhileTheyAreSaidAgainIsGoneAtTheService() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(Self.ann)
            world.infobip.expireInstallation(id)
            let gate = EmulatorGate()
            world.emulator.faults.inject(.replyHeld(gate), on: .personalize)
            async let fetched = code { try await profile.fetchUser() }
            await gate.arrived()
            async let left = profile.depersonalize()
            await until("depersonalization is pending") { profile.isDepersonalizationPending }
            gate.open()
            #expect(try await left == .done)
            #expect(await fetched == .depersonalizationPending)
            #expect(world.infobip.person(externalUserID: "ann")?.installations == [])
        }
    }

    @Test func aRegistrationThatIsLostWhileItIsMadeGoodIsAskedForAfterGrowingPauses() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(Self.ann)
            world.emulator.faults.injectAlways(Self.gone, on: .fetchPerson)
            world.infobip.expireInstallation(id)
            #expect(await code { try await profile.fetchUser() } == .rejected)
            #expect(world.infobip.requests(on: .createInstallation).count <= 3)
            let machine = await (try profile.manager()).machine
            #expect(machine.backOff.pausedUntil != nil && machine.backOff.failures == 1)
            world.emulator.faults.clear()
            try await profile.retry()
            try await profile.waitUntilIdle()
            #expect(profile.user.externalUserID == "ann")
        }
    }

    // MARK: - What it is made good with

    @Test func anAnswerThatIsRefusedOnceForgetsNothing() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            var attributes = InfobipAttributes()
            attributes.lastName = "Lee"
            try await profile.personalize(Self.ann, attributes: attributes)
            let number = try #require(world.infobip.person(externalUserID: "ann")?.number)
            world.infobip.updatePerson(number, #"{"lastName":null}"#)
            world.infobip.expireInstallation(id)
            world.emulator.faults.inject(.status(404), on: .fetchPerson)
            world.emulator.faults.inject(.status(404), on: .fetchPerson)
            _ = await code { try await profile.fetchUser() }
            // Nobody waits for what the service does not say.
            #expect(try await profile.save { $0.firstName = .set("A") } == .done)
            try await profile.retry()
            try await profile.waitUntilIdle()
            let person = try #require(world.infobip.person(externalUserID: "ann"))
            #expect((person.firstName, person.lastName) == ("A", "Lee"))
        }
    }

    @Test func anAddressThatIsAnotherPersonsByNowIsNotSaidAgain() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(InfobipIdentity(emails: ["lee@people.example"], externalUserID: "ann"))
            let number = try #require(world.infobip.person(externalUserID: "ann")?.number)
            world.infobip.updatePerson(number, #"{"emails":null,"firstName":"Ann"}"#)
            world.infobip.makePerson(externalUserID: "bob", emails: ["lee@people.example"])
            world.infobip.expireInstallation(id)
            #expect(try await profile.save { $0.lastName = .set("Lee") } == .done)
            #expect(profile.user.externalUserID == "ann" && profile.user.emails.isEmpty)
            let person = try #require(world.infobip.person(externalUserID: "ann"))
            #expect((person.firstName, person.lastName, person.emails) == ("Ann", "Lee", []))
        }
    }

    @Test func theOneThatIsPrimaryMeanwhileStaysSo() async throws {
        for isAsked in [false, true] {
            let world = try InfobipWorld()
            try await world.live { signet, it in
                let id = try await it.infobip.register()
                try await it.infobip.personalize(Self.ann, setDeviceAsPrimary: !isAsked)
                let other = try await signet.runtime.open("other", identify: .none).infobip
                let primary = try await other.register("BB")
                try await other.personalize(Self.ann, setDeviceAsPrimary: true)
                world.infobip.expireInstallation(id)
                if isAsked { try await it.infobip.saveOwn { $0.isPrimary = true } }
                try await it.infobip.fetchUser()
                try await it.infobip.waitUntilIdle()
                let own = try #require(it.infobip.installation.pushRegistrationID)
                #expect(world.infobip.installation(primary)?.isPrimary == !isAsked)
                #expect(world.infobip.installation(own)?.isPrimary == isAsked)
                #expect(it.infobip.installation.isPrimary == isAsked)
            }
        }
    }

    @Test(arguments: [false, true])
    func aPhoneWithAPlusIsTheSamePersons(isLost: Bool) async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.save { $0.phones = .set(["+385910000000"]) }
            world.emulator.faults.inject(.status(503), on: .updatePerson)
            #expect(try await profile.save { $0.firstName = .set("A") } == .pending)
            if isLost { world.infobip.expireInstallation(id) }
            try await profile.fetchUser()
            try await profile.waitUntilIdle()
            let person = try #require(world.infobip.person(phone: "385910000000"))
            #expect(person.firstName == "A")
            #expect(profile.user.firstName == "A")
        }
    }
}
