// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet
@testable import SignetIterable

/// Iterable compares names by their bytes, and so does the machine.
@Suite struct IterableTextFormTests {
    private static let (composed, decomposed) = ("Jos\u{E9}@x.com", "Jose\u{301}@x.com")

    @Test func namesAreTheSameByTheirBytes() {
        for make in [IterableUserID.email, IterableUserID.userID] {
            let names = [make(Self.composed), make(Self.decomposed), make(Self.composed)]
            #expect(names[0] != names[1] && names[0] == names[2])
            #expect(Set(names).count == 2)
            #expect(Set(names.map(\.wire)).count == 2)
        }
        #expect(IterableUserID.email("a") != .userID("a"))
    }

    @Test func aUserOfAnotherFormIsAnotherUser() {
        var machine = IterableMachineScene.machine(in: .visitor)
        _ = machine.identify(.userID(Self.composed), replays: true, merges: true)
        _ = machine.identify(.userID(Self.decomposed), replays: true, merges: true)
        #expect(machine.memory.turns.map(\.id) == [.userID(Self.composed), .userID(Self.decomposed)])
    }

    @Test func anAddressOfAnotherFormIsAnotherAddress() {
        var machine = IterableMachineScene.machine(in: .visitor)
        _ = machine.identify(.email(Self.composed), replays: true, merges: true)
        #expect(machine.changeEmail(Self.composed)?.isEmpty == true)
        #expect(machine.changeEmail(Self.decomposed)?.isEmpty == false)
    }
}
