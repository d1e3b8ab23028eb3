// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

@testable import Signet
@testable import SignetInfobip

/// A save that had no answer may have changed by what a person is found: whoever is found then is the same, or another.
@Suite struct InfobipRenamingTests {
    private typealias Scene = InfobipMachineScene

    /// A lead, and what is saved of it and may have arrived.
    private static func machine(
        _ lead: InfobipUserChanges,
        saving changes: InfobipUserChanges
    ) -> InfobipStateMachine {
        var memory = InfobipMemory(application: "a")
        memory.token = Scene.token
        memory.registration = .init(id: "1", token: Scene.token, systemHash: "h", at: 0)
        memory.profile = Scene.installation("1")
        memory.user = InfobipUser().applying(lead)
        memory.userChanges = changes
        memory.doubt = .details
        return InfobipStateMachine(restoring: memory, systemHash: ("h", "h"))
    }

    private static func change(phones: Patch<[String]>, firstName: String? = nil) -> InfobipUserChanges {
        var changes = InfobipUserChanges()
        changes.phones = phones
        changes.firstName = firstName.map(Patch.set) ?? .untouched
        return changes
    }

    /// What goes when the service is asked, and names somebody.
    private static func dropped(_ machine: inout InfobipStateMachine, found: InfobipUserChanges) throws -> [String] {
        _ = machine.queue([1], now: .zero)
        guard case .perform(let number, .fetchUser) = machine.next(now: .zero, milliseconds: 0) else { return ["-"] }
        let user = InfobipUser().applying(found)
        return machine.finish(number, .user(user), now: .zero, milliseconds: 0, jitter: 0)
            .map(Scene.name).filter { $0.hasPrefix("drop") }
    }

    @Test func whoHasLostTheirOnlyNameIsTheSame() throws {
        let lead = Self.change(phones: .set(["385800000001"]), firstName: "Ann")
        var machine = Self.machine(lead, saving: Self.change(phones: .clear))
        #expect(try Self.dropped(&machine, found: Self.change(phones: .untouched, firstName: "Ann")) == [])
        #expect(machine.user.phones == [] && machine.user.firstName == "Ann")
        #expect(machine.memory.userChanges.isEmpty)
    }

    @Test func whoIsFoundByTheirNewNameIsTheSame() throws {
        let lead = Self.change(phones: .set(["385800000001"]))
        var machine = Self.machine(lead, saving: Self.change(phones: .set(["385800000002"]), firstName: "Ann"))
        let found = Self.change(phones: .set(["385800000002"]), firstName: "Ann")
        #expect(try Self.dropped(&machine, found: found) == [])
        #expect(machine.memory.userChanges.isEmpty)
    }

    @Test func nobodyHasTakenThePlaceOfWhoWasLoggedOutFromElsewhere() throws {
        let lead = Self.change(phones: .set(["385800000001"]), firstName: "Ann")
        var machine = Self.machine(lead, saving: Self.change(phones: .clear))
        #expect(try Self.dropped(&machine, found: InfobipUserChanges()) == ["drop 1", "drop changes 1"])
        #expect(machine.memory.userChanges.isEmpty)
    }

    @Test func anotherNameThanTheNewOneIsSomebodyElses() throws {
        let lead = Self.change(phones: .set(["385800000001"]), firstName: "Ann")
        for saved in [Patch.clear, .set(["385800000002"])] {
            var machine = Self.machine(lead, saving: Self.change(phones: saved))
            let found = Self.change(phones: .set(["385800000003"]), firstName: "Ann")
            #expect(try Self.dropped(&machine, found: found) == ["drop 1", "drop changes 1"], "\(saved)")
        }
    }

    @Test func withoutSuchASaveNobodyIsSomebodyElse() throws {
        let lead = Self.change(phones: .set(["385800000001"]), firstName: "Ann")
        var machine = Self.machine(lead, saving: Self.change(phones: .untouched, firstName: "Anna"))
        let found = Self.change(phones: .untouched, firstName: "Anna")
        #expect(try Self.dropped(&machine, found: found) == ["drop 1", "drop changes 1"])
    }

    /// A name that the save says nothing of has vanished: it has arrived at whoever took their place.
    @Test func whoHasLostANameThatWasNotTouchedIsSomebodyElse() throws {
        for saved in [Patch.clear, .set(["385800000002"])] {
            var lead = Self.change(phones: .set(["385800000001"]), firstName: "Ann")
            lead.externalUserID = .set("ann")
            var machine = Self.machine(lead, saving: Self.change(phones: saved))
            let found = InfobipUser().applying(Self.change(phones: saved)).phones
            let nobody = Self.change(phones: .set(found), firstName: "Ann")
            #expect(try Self.dropped(&machine, found: nobody) == ["drop 1", "drop changes 1"], "\(saved)")
        }
    }

    private static let lost = InfobipStateMachine.Answer.failed(Scene.error, mayHaveHappened: true)

    /// A lead of one phone, another phone of which was saved without an answer.
    private static func unanswered() -> InfobipStateMachine {
        var machine = Self.machine(Self.change(phones: .set(["385800000001"])), saving: .init())
        machine.memory.doubt = .none
        machine.isUserKnown = true
        _ = machine.begin(.saveUser(Self.change(phones: .set(["385800000002"]))), now: .zero)
        Self.end(Self.lost, &machine)
        return machine
    }

    private static func end(_ answer: InfobipStateMachine.Answer, _ machine: inout InfobipStateMachine) {
        if machine.underWay == nil { _ = machine.next(now: .zero, milliseconds: 0) }
        guard let number = machine.underWay?.number else {
            Issue.record("nothing is under way")
            return
        }
        _ = machine.finish(number, answer, now: .zero, milliseconds: 0, jitter: 0)
        machine.clearPause()
    }

    @Test func anEarlierSaveMayHaveDoneItToo() throws {
        var machine = Self.unanswered()
        let third = Self.change(phones: .set(["385800000003"]))
        _ = machine.begin(.saveUser(third), now: .zero)
        Self.end(Self.lost, &machine)
        machine.memory.doubt = .details
        #expect(try Self.dropped(&machine, found: Self.change(phones: .set(["385800000002"]))) == [])
        #expect(machine.memory.userChanges == third)
    }

    @Test func aRefusalOfALaterSaveDoesNotTakeItBack() throws {
        var machine = Self.unanswered()
        var changes = InfobipUserChanges()
        changes.emails = .set(["ann@people.example"])
        changes.lastName = .set("Lee")
        _ = machine.begin(.saveUser(changes), now: .zero)
        Self.end(.refused(Scene.error, rollsBackIdentity: true), &machine)
        #expect(try Self.dropped(&machine, found: Self.change(phones: .set(["385800000002"]))) == [])
        #expect(machine.memory.userChanges.lastName == .set("Lee"))
    }

    @Test func whoSaysWhoItIsByTheNewNameIsTheSame() throws {
        var machine = Self.unanswered()
        _ = machine.begin(.saveUser(Scene.change("Ann")), now: .zero)
        Self.end(.failed(Scene.error, mayHaveHappened: false), &machine)
        _ = machine.queue([1], now: .zero)
        let identity = InfobipIdentity(phones: ["385800000002"], externalUserID: "ann")
        _ = machine.begin(
            .personalize(.init(identity: identity, attributes: nil, options: .init())),
            now: .zero
        )
        var ann = Self.change(phones: .set(["385800000002"]))
        ann.externalUserID = .set("ann")
        Self.end(.user(InfobipUser().applying(ann)), &machine)
        #expect(machine.memory.userChanges == Scene.change("Ann"))
        #expect(machine.memory.events == 0..<1)
    }
}
