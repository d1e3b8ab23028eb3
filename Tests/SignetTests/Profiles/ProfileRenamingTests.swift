//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import Testing

@testable import Signet

/// A save that had no answer may have changed by what a person is found: whoever is found then is the same, or another.
@Suite struct ProfileRenamingTests {
    private typealias Scene = ProfileMachineScene

    /// A lead, and what is saved of it and may have arrived.
    private static func machine(
        _ lead: UserProfileChanges,
        saving changes: UserProfileChanges
    ) -> ProfileStateMachine {
        var memory = ProfileMemory(application: "a")
        memory.token = Scene.token
        memory.registration = .init(id: "1", token: Scene.token, systemHash: "h", at: 0)
        memory.profile = Scene.installation("1")
        memory.user = UserProfile().applying(lead)
        memory.userChanges = changes
        memory.doubt = .details
        return ProfileStateMachine(restoring: memory, systemHash: ("h", "h"))
    }

    private static func change(phones: ProfileChange<[String]>, firstName: String? = nil) -> UserProfileChanges {
        var changes = UserProfileChanges()
        changes.phones = phones
        changes.firstName = firstName.map(ProfileChange.set) ?? .untouched
        return changes
    }

    /// What goes when the service is asked, and names somebody.
    private static func dropped(_ machine: inout ProfileStateMachine, found: UserProfileChanges) throws -> [String] {
        _ = machine.queue([1], now: .zero)
        guard case .perform(let number, .fetchUser) = machine.next(now: .zero, milliseconds: 0) else { return ["-"] }
        let user = UserProfile().applying(found)
        return machine.finish(number, .user(user), now: .zero, milliseconds: 0, chance: 0)
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
        #expect(try Self.dropped(&machine, found: UserProfileChanges()) == ["drop 1", "drop changes 1"])
        #expect(machine.memory.userChanges.isEmpty)
    }

    @Test func anotherNameThanTheNewOneIsSomebodyElses() throws {
        let lead = Self.change(phones: .set(["385800000001"]), firstName: "Ann")
        for saved in [ProfileChange.clear, .set(["385800000002"])] {
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
}
