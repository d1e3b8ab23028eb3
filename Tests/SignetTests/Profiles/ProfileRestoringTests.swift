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

/// What a lost registration is made good with, and what comes in between.
@Suite(.watched) struct ProfileRestoringTests {
    private typealias Scene = ProfileMachineScene
    private static let ann = ProfileIdentity(externalUserID: "ann")
    private static let gone = Weather.Fault.refused(status: 400, code: "NO_REGISTRATION", message: "gone")

    // MARK: - What comes in between

    @Test func whoGoesWhileTheyAreSaidAgainGoes() {
        for event in [Scene.Event.depersonalize, .login, .logout] {
            for answer in [Scene.Event.done, .refused, .lost, .failed] {
                var machine = Scene.machine(in: .restoring)
                _ = machine.next(now: .zero, milliseconds: 0)
                _ = Scene.apply(event, to: &machine)
                _ = Scene.apply(answer, to: &machine)
                machine.clearPause()
                var operations: [String] = []
                while case .perform(_, let operation) = machine.next(now: .zero, milliseconds: 0),
                    operations.count < 9
                {
                    operations.append(Scene.name(operation))
                    _ = Scene.apply(.done, to: &machine)
                }
                #expect(operations.count < 9, "\(event), \(answer): \(operations)")
                #expect(!operations.contains("restore"), "\(event), \(answer): \(operations)")
                #expect(!machine.memory.depersonalization.isRequested, "\(event), \(answer)")
                #expect(!machine.hasCallers)
            }
        }
    }

    @Test func whoGoesWhileTheyAreSaidAgainIsGoneAtTheService() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(Self.ann)
            world.people.expireInstallation(id)
            let gate = EmulatorGate()
            world.emulator.weather.next(on: .repersonalize, .replyHeld(gate))
            async let fetched = code { try await profile.fetchUser() }
            await gate.arrived()
            async let left = profile.depersonalize()
            await until("depersonalization is pending") { profile.isDepersonalizationPending }
            gate.open()
            #expect(try await left == .done)
            #expect(await fetched == .depersonalizationPending)
            #expect(world.people.person(externalUserID: "ann")?.installations == [])
        }
    }

    @Test func aRegistrationThatIsLostWhileItIsMadeGoodIsAskedForAfterGrowingPauses() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(Self.ann)
            world.emulator.weather.always(on: .fetchPerson, Self.gone)
            world.people.expireInstallation(id)
            #expect(await code { try await profile.fetchUser() } == .refused)
            #expect(world.people.requests(on: .createInstallation).count <= 3)
            let machine = await (try profile.manager()).machine
            #expect(machine.pausedUntil != nil && machine.failures == 1)
            world.emulator.weather.clear()
            try await profile.retry()
            try await profile.settled()
            #expect(profile.user.externalUserID == "ann")
        }
    }

    @Test func pausesGrowWhileRegistrationsAreLostAgain() {
        var machine = Scene.machine(in: .restoring)
        var pauses: [Duration] = []
        for _ in 0..<60 where pauses.count < 4 {
            guard case .perform(let number, let operation) = machine.next(now: .zero, milliseconds: 0) else { break }
            let isFetch = operation == .fetchUser
            let answer: ProfileStateMachine.Answer =
                switch operation {
                case .register: .installation(Scene.installation("2"))
                default: isFetch ? .lost(Scene.error) : .done
                }
            _ = machine.finish(number, answer, now: .zero, milliseconds: 0, chance: 0)
            guard let pause = machine.pausedUntil else { continue }
            pauses.append(pause)
            machine.pausedUntil = nil
        }
        #expect(pauses == [5, 15, 60, 120].map { .seconds($0) })
    }

    // MARK: - What it is made good with

    @Test func anAnswerThatIsRefusedOnceForgetsNothing() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            var attributes = ProfileAttributes()
            attributes.lastName = "Lee"
            try await profile.personalize(Self.ann, attributes: attributes)
            let number = try #require(world.people.person(externalUserID: "ann")?.number)
            world.people.updatePerson(number, #"{"lastName":null}"#)
            world.people.expireInstallation(id)
            world.emulator.weather.next(on: .fetchPerson, .status(404))
            world.emulator.weather.next(on: .fetchPerson, .status(404))
            _ = await code { try await profile.fetchUser() }
            // Nobody waits for what the service does not say.
            #expect(try await profile.save { $0.firstName = .set("A") } == .done)
            try await profile.retry()
            try await profile.settled()
            let person = try #require(world.people.person(externalUserID: "ann"))
            #expect((person.firstName, person.lastName) == ("A", "Lee"))
        }
    }

    @Test func anAddressThatIsAnotherPersonsByNowIsNotSaidAgain() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(ProfileIdentity(emails: ["lee@people.example"], externalUserID: "ann"))
            let number = try #require(world.people.person(externalUserID: "ann")?.number)
            world.people.updatePerson(number, #"{"emails":null,"firstName":"Ann"}"#)
            world.people.makePerson(externalUserID: "bob", emails: ["lee@people.example"])
            world.people.expireInstallation(id)
            #expect(try await profile.save { $0.lastName = .set("Lee") } == .done)
            #expect(profile.user.externalUserID == "ann" && profile.user.emails.isEmpty)
            let person = try #require(world.people.person(externalUserID: "ann"))
            #expect((person.firstName, person.lastName, person.emails) == ("Ann", "Lee", []))
        }
    }

    @Test func theOneThatIsPrimaryMeanwhileStaysSo() async throws {
        for isAsked in [false, true] {
            let world = try ProfileWorld()
            try await world.live { signet, it in
                let id = try await it.profile.register()
                try await it.profile.personalize(Self.ann, setDeviceAsPrimary: !isAsked)
                let other = try signet.runtime.open("other", identify: .none).profile
                let primary = try await other.register("BB")
                try await other.personalize(Self.ann, setDeviceAsPrimary: true)
                world.people.expireInstallation(id)
                if isAsked { try await it.profile.saveOwn { $0.isPrimary = true } }
                try await it.profile.fetchUser()
                try await it.profile.settled()
                let own = try #require(it.profile.installation.pushRegistrationID)
                #expect(world.people.installation(primary)?.isPrimary == !isAsked)
                #expect(world.people.installation(own)?.isPrimary == isAsked)
                #expect(it.profile.installation.isPrimary == isAsked)
            }
        }
    }

    @Test(arguments: [false, true])
    func aPhoneWithAPlusIsTheSamePersons(isLost: Bool) async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            try await profile.save { $0.phones = .set(["+385910000000"]) }
            world.emulator.weather.next(on: .updatePerson, .status(503))
            #expect(try await profile.save { $0.firstName = .set("A") } == .pending)
            if isLost { world.people.expireInstallation(id) }
            try await profile.fetchUser()
            try await profile.settled()
            let person = try #require(world.people.person(phone: "385910000000"))
            #expect(person.firstName == "A")
            #expect(profile.user.firstName == "A")
        }
    }

    @Test func aLossThatWasMadeGoodIsNotTheFirstOfTwo() {
        var machine = Scene.machine(in: .restoring)
        machine.losses = 1
        for _ in 0..<2 { _ = Scene.apply(.done, to: &machine) }
        #expect(machine.memory.recovery == .none)
        #expect(machine.losses == 0)
    }

    @Test func aPhoneWithAPlusIsNoSignOfWhatTheServiceKnows() throws {
        var machine = Scene.machine(in: .recovering)
        machine.memory.user.externalUserID = nil
        machine.memory.user.phones = ["+385910000000"]
        _ = machine.next(now: .zero, milliseconds: 0)
        let number = try #require(machine.underWay?.number)
        var found = UserProfile()
        found.phones = ["385910000000"]
        _ = machine.finish(number, .user(found), now: .zero, milliseconds: 0, chance: 0)
        #expect(machine.memory.userChanges.firstName == .set("Ann"))
    }
}
