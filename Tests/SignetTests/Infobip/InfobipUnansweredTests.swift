// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTesting
import SignetWire
import Testing

@testable import Signet
@testable import SignetInfobip

/// What was asked for and had no answer: whether it has happened or not, nothing newer gives way to what is older, and
/// nothing is lost.
@Suite struct InfobipUnansweredTests {
    private typealias Scene = InfobipMachineScene
    private static let ann = InfobipIdentity(externalUserID: "ann")
    private static let bob = InfobipIdentity(externalUserID: "bob")

    private static let new: InfobipAttributes = {
        var attributes = InfobipAttributes()
        attributes.firstName = "new"
        attributes.customAttributes["day"] = CalendarDay("2020-01-15").map { .set(.date($0)) }
        return attributes
    }()

    private static func saveOld(_ profile: InfobipProfile, _ world: InfobipWorld) async throws {
        world.emulator.faults.inject(.status(503), on: .updatePerson)
        let outcome = try await profile.save {
            $0.firstName = .set("old")
            $0.lastName = .set("kept")
            $0.customAttributes["day"] = .set("old")
        }
        #expect(outcome == .pending)
    }

    // MARK: - A personalize

    @Test func whatItHasSaidIsNewerThanWhatWaited() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await Self.saveOld(profile, world)
            world.emulator.faults.inject(.replyLost, on: .personalize)
            world.emulator.faults.injectAlways(.status(503), on: .fetchPerson)
            #expect(await code { _ = try await profile.personalize(Self.ann, attributes: Self.new) } == .notConnected)
            // What is saved later is not old, even if it is the same.
            #expect(try await profile.save { $0.customAttributes["day"] = .set("old") } == .pending)
        }
        // Found out by the next life, too.
        world.emulator.faults.clear()
        try await world.live { _, it in
            try await world.settle(it)
            #expect(it.infobip.user.firstName == "new")
        }
        let person = try #require(world.infobip.person(externalUserID: "ann"))
        #expect((person.firstName, person.lastName) == ("new", "kept"))
        #expect(person.attributes == ["day": "old"])
    }

    @Test func whatWaitedIsSentWhereItHasNotHappened() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            try await Self.saveOld(it.infobip, world)
            world.emulator.faults.inject(.connectionRefused, on: .personalize)
            let error = await code { _ = try await it.infobip.personalize(Self.ann, attributes: Self.new) }
            #expect(error == .notConnected)
            try await world.settle(it)
            let person = try #require(world.infobip.person(of: id))
            #expect((person.firstName, person.lastName, person.externalUserID) == ("old", "kept", nil))
        }
    }

    @Test func whoeverSaysItAgainSaysWhatIsNewer() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await Self.saveOld(profile, world)
            world.emulator.faults.inject(.replyLost, on: .personalize)
            _ = await code { _ = try await profile.personalize(Self.ann, attributes: Self.new) }
            // Without the attributes: the answer shows that they were taken before.
            try await profile.personalize(Self.ann)
            try await profile.waitUntilIdle()
            #expect(world.infobip.person(externalUserID: "ann")?.firstName == "new")
        }
    }

    @Test func nothingOldIsTheFarewell() async throws {
        for isForced in [false, true] {
            let world = try InfobipWorld()
            try await world.live { _, it in
                let profile = it.infobip
                try await profile.register()
                try await profile.personalize(Self.ann)
                try await Self.saveOld(profile, world)
                world.emulator.faults.inject(.replyLost, on: .personalize)
                world.emulator.faults.injectAlways(.status(503), on: .fetchPerson)
                _ = await code { _ = try await profile.personalize(Self.ann, attributes: Self.new) }
                if isForced {
                    let error = await code { _ = try await profile.personalize(Self.bob, forceDepersonalize: true) }
                    #expect(error == .serverFailure)
                } else {
                    #expect(try await profile.depersonalize() == .pending)
                }
                world.emulator.faults.clear()
                if isForced { try await profile.personalize(Self.bob, forceDepersonalize: true) }
                try await world.settle(it)
                let person = try #require(world.infobip.person(externalUserID: "ann"))
                #expect((person.firstName, person.lastName) == ("new", "kept"), "\(isForced)")
                #expect(person.installations.isEmpty)
            }
        }
    }

    @Test func theFarewellGoesWhereWhoItIsCannotBeAsked() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            try await Self.saveOld(it.infobip, world)
            world.emulator.faults.inject(.connectionRefused, on: .personalize)
            let no = FaultInjector.Fault.refused(status: 400, code: "9", message: "no")
            world.emulator.faults.injectAlways(no, on: .fetchPerson)
            _ = await code { _ = try await it.infobip.personalize(Self.ann, attributes: Self.new) }
            #expect(try await it.infobip.depersonalize() == .done)
            #expect(world.infobip.person(externalUserID: "ann")?.firstName == "old")
        }
    }

    /// A login of which the service hears only later, and what is saved meanwhile.
    @Test func whatIsSavedAfterALoginIsNotOld() async throws {
        let world = try InfobipWorld()
        try await world.live { configuration in
            configuration.infobip?.followsLogin = true
        } _: { _, it in
            try await it.infobip.register()
            world.emulator.faults.injectAlways(.connectionRefused, on: .personalize)
            try await it.login([.customerID: "ann", .email: "ann@people.example"])
            try await it.infobip.waitUntilIdle()
            world.emulator.faults.inject(.status(503), on: .updatePerson)
            _ = try await it.infobip.save { $0.emails = .set(["later@people.example"]) }
            world.emulator.faults.clear()
            try await world.settle(it)
            #expect(world.infobip.person(externalUserID: "ann")?.emails == ["later@people.example"])
        }
    }

    @Test func whatIsSavedWhileItWaitsItsTurnIsNotOld() {
        var machine = Scene.machine(in: .saving)
        _ = machine.begin(.personalize(Scene.personalization(force: false)), now: .zero)
        _ = machine.begin(.saveUser(Scene.change("C", identity: "later")), now: .zero)
        _ = Scene.apply(.done, to: &machine)
        guard case .perform(let number, .personalize) = machine.next(now: .zero, milliseconds: 0) else {
            Issue.record("not personalized")
            return
        }
        let anna = InfobipUser().applying(Scene.change("x", identity: "anna"))
        _ = machine.finish(number, .user(anna), now: .zero, milliseconds: 0, jitter: 0)
        #expect(machine.memory.userChanges == Scene.change("C", identity: "later"))
    }

    /// The sign of the first would be taken for one of the second, and what was saved between them be lost.
    @Test func whatAnEarlierOneHasSaidIsNoSignOfALaterOne() {
        var machine = Scene.machine(in: .clean)
        machine.memory.user = .init()
        for name in ["", "between"] {
            if !name.isEmpty {
                _ = machine.begin(.saveUser(Scene.change(name, identity: name)), now: .zero)
                // Nobody sends it meanwhile.
                _ = machine.endAll(.failure(Scene.error))
            }
            _ = machine.begin(.personalize(Scene.personalization(force: false)), now: .zero)
            _ = Scene.apply(.unanswered, to: &machine)
        }
        machine.dropOld(InfobipUser().applying(Scene.change("x", identity: "bob")))
        #expect(machine.memory.userChanges == Scene.change("between", identity: "between"))
    }

    /// What a personalize says of a list was so already, but what a save has put in its place shows which of both came last.
    @Test func aListShowsThatBothHaveHappened() {
        let known = ["ann@people.example"]
        for (found, isLeft) in [
            (["new@people.example", "ann@people.example"], false), (["new@people.example"], true), (known, true),
        ] {
            var machine = Scene.machine(in: .clean)
            machine.memory.user.emails = known
            machine.isUserKnown = false
            var save = InfobipUserChanges()
            save.emails = .set(["new@people.example"])
            _ = machine.begin(.saveUser(save), now: .zero)
            _ = machine.endAll(.failure(Scene.error))
            let identity = InfobipIdentity(emails: known, externalUserID: "ann")
            _ = machine.begin(.personalize(.init(identity: identity, attributes: nil, options: .init())), now: .zero)
            _ = Scene.apply(.unanswered, to: &machine)
            var user = machine.memory.user
            user.emails = found
            machine.dropOld(user)
            #expect(machine.memory.userChanges == (isLeft ? save : InfobipUserChanges()), "\(found)")
        }
    }

    @Test func whoCannotBeFetchedIsAskedForAfterPausesWhileSavesWait() {
        var machine = Scene.machine(in: .clean)
        machine.memory.doubt = .details
        for answer in [Scene.Event.refused, .failed] {
            machine.pausedUntil = nil
            _ = Scene.apply(answer, to: &machine)
            #expect(machine.memory.doubt == .details)
            #expect(machine.pausedUntil != nil)
        }
        let old = Scene.change("A", identity: "a")
        machine.memory.unanswered = [.init(said: Scene.change("B"), known: .init(), old: old)]
        #expect(Scene.apply(.save, to: &machine) == "waits, save")
        // Who saves waits for that, whatever the pause, and not for ever.
        guard case .perform(_, .fetchUser) = machine.next(now: .zero, milliseconds: 0) else {
            Issue.record("not fetched")
            return
        }
        #expect(Scene.apply(.failed, to: &machine) == "tell failed, end pending")
        #expect(machine.next(now: .zero, milliseconds: 0) == .wait(until: machine.pausedUntil ?? .zero))
    }

    // MARK: - A save

    @Test func whatWasTakenWithoutAnAnswerAndRefusedAfterwardsIsKnown() async throws {
        let world = try InfobipWorld()
        let no = FaultInjector.Fault.refused(status: 400, code: "REQUEST_FORMAT_INVALID", message: "no")
        try await world.live { _, it in
            let id = try await it.infobip.register()
            try await it.infobip.fetchUser()
            world.emulator.faults.inject(.replyLost, on: .updatePerson)
            world.emulator.faults.inject(.replyLost, on: .updateInstallation)
            #expect(try await it.infobip.save { $0.firstName = .set("X") } == .pending)
            #expect(try await it.infobip.saveOwn { $0.applicationUserID = .set("X") } == .pending)
            world.emulator.faults.inject(no, on: .updatePerson)
            world.emulator.faults.inject(no, on: .updateInstallation)
            try await world.settle(it)
            #expect(world.infobip.person(of: id)?.firstName == "X")
            #expect(it.infobip.user.firstName == "X")
            #expect(it.infobip.installation.applicationUserID == "X")
        }
        try await world.live { _, it in
            let id = try await it.infobip.registration()
            #expect(try await it.infobip.save { $0.firstName = .clear } == .done)
            #expect(try await it.infobip.saveOwn { $0.applicationUserID = .clear } == .done)
            #expect(world.infobip.person(of: id)?.firstName == nil)
            #expect(world.infobip.installation(id)?.applicationUserID == nil)
        }
    }
}
