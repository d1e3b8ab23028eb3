// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetIterable

/// An address is compared with the last one that the app asked for, which may not be at Iterable yet.
@Suite(.watched) struct IterableAddressTests {
    private static let a = IterableUserID.email("a@example.com")
    private static let b = IterableUserID.email("b@example.com")

    /// A machine with a known user of whom nothing waits.
    private static func machine(of id: IterableUserID = a) -> IterableStateMachine {
        var machine = IterableStateMachine(
            restoring: IterableMemory(),
            records: [],
            isEnabled: true,
            threshold: 10,
            queueLimit: 10
        )
        _ = machine.identify(id, replays: true, merges: true)
        self.finish(&machine)
        return machine
    }

    private static func finish(_ machine: inout IterableStateMachine) {
        while case .perform(let number, _) = machine.next(now: .zero) {
            _ = machine.finish(number, .done, now: .zero, jitter: 0)
        }
    }

    private static func changes(_ machine: IterableStateMachine) -> [String] {
        (machine.memory.current?.tasks ?? []).compactMap { if case .changeEmail(let email) = $0 { email } else { nil } }
    }

    @Test func theLastAddressThatWasAskedForIsTheUsers() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.identify(Self.a)
            try await visitor.track("known")
            try await world.settle(installation)
            world.emulator.faults.inject(.connectionRefused, on: .updateEmail)
            try await visitor.updateEmail("b@example.com")
            try await visitor.updateEmail("a@example.com")
            try await world.settle(installation)
            #expect(visitor.state == .known(Self.a))
        }
        #expect(world.iterable.user(email: "a@example.com") != nil)
        #expect(world.iterable.user(email: "b@example.com") == nil)
    }

    @Test func theSameAddressTwiceIsOneChange() {
        var machine = Self.machine()
        for email in ["b@example.com", "b@example.com", "c@example.com", "a@example.com", "a@example.com"] {
            #expect(machine.changeEmail(email) != nil)
        }
        #expect(Self.changes(machine) == ["b@example.com", "c@example.com", "a@example.com"])
        Self.finish(&machine)
        #expect(machine.state == .known(Self.a))
        // It is so already.
        #expect(machine.changeEmail("a@example.com")?.isEmpty == true)
        #expect(Self.changes(machine).isEmpty)
    }

    @Test func anAddressOfAUserByIDIsAskedForOnceToo() {
        var machine = Self.machine(of: .userID("u"))
        for email in ["b@example.com", "b@example.com", "a@example.com", "b@example.com"] {
            #expect(machine.changeEmail(email) != nil)
        }
        #expect(Self.changes(machine) == ["b@example.com", "a@example.com", "b@example.com"])
    }

    @Test func theUserOfAnAddressThatWaitsIsTheUserWhoIsThere() {
        var machine = Self.machine()
        _ = machine.changeEmail("b@example.com")
        #expect(machine.identify(Self.b, replays: true, merges: true).isEmpty)
        #expect(machine.memory.turns.count == 1)
        // The old address is somebody else's from now on, as it is once Iterable has the change.
        #expect(!machine.identify(Self.a, replays: true, merges: true).isEmpty)
        #expect(machine.memory.turns.map(\.id) == [Self.a, Self.a])
        #expect(machine.memory.turns.last?.tasks.contains(.changeEmail("b@example.com")) == false)
    }

    /// The first change was refused: the second leads where the user is already, and Iterable would refuse it, too.
    @Test func anAddressThatTheUserHasIsNotAskedFor() async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            let visitor = installation.iterable
            try await visitor.identify(Self.a)
            try await visitor.track("known")
            try await world.settle(installation)
            world.emulator.faults.inject(.connectionRefused, on: .updateEmail)
            let no = FaultInjector.Fault.refused(status: 400, code: "InvalidParameter", message: "no")
            world.emulator.faults.inject(no, on: .updateEmail)
            try await visitor.updateEmail("b@example.com")
            try await visitor.updateEmail("a@example.com")
            try await world.settle(installation)
            #expect(visitor.state == .known(Self.a))
            // The try that failed, and the one that was refused.
            #expect(signet.transport.exchanges.filter { $0.request.url.hasSuffix("users/updateEmail") }.count == 2)
        }
    }
}
