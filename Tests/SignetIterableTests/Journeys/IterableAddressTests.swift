// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
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
    private static func machine(of id: IterableUserID = a, mpid: Int64 = 1) -> IterableStateMachine {
        var machine = IterableStateMachine(
            restoring: IterableMemory(),
            records: [],
            isEnabled: true,
            threshold: 10,
            queueLimit: 10
        )
        _ = machine.identify(id, replays: true, merges: true, mpid: MPID(rawValue: mpid))
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

    /// Iterable may refuse the change, so that the address stays another person's.
    @Test func whoIsNamedWhileAnAddressWaitsIsNotTheUserBefore() {
        for id in [Self.b, Self.a] {
            var machine = Self.machine()
            _ = machine.changeEmail("b@example.com")
            #expect(!machine.identify(id, replays: true, merges: true).isEmpty)
            #expect(machine.memory.turns.map(\.id) == [Self.a, id])
            #expect(machine.memory.turns.map { $0.tasks.contains(.changeEmail("b@example.com")) } == [true, false])
            // The same again is no other.
            #expect(machine.identify(id, replays: true, merges: true).isEmpty)
            Self.finish(&machine)
            #expect(machine.state == .known(id))
        }
        // The name of a user by id stays.
        var machine = Self.machine(of: .userID("u"))
        _ = machine.changeEmail("b@example.com")
        #expect(machine.identify(.userID("u"), replays: true, merges: true).isEmpty)
    }

    @Test func aLoginWhileAnAddressWaitsIsNoLoginOfTheUserBefore() {
        var machine = Self.machine(mpid: 1)
        _ = machine.changeEmail("b@example.com")
        let entry = OutboxEntry(
            id: UUID(),
            mpid: MPID(rawValue: 2),
            call: .identify(email: "b@example.com", customerID: nil),
            services: [.iterable]
        )
        _ = machine.follow(entry, by: .hybrid, replays: true, merges: true, now: 0)
        #expect(machine.memory.turns.map(\.mpid?.rawValue) == [1, 2])
    }

    /// Whether the address is somebody else's shows only when Iterable answers.
    @Test(arguments: [true, false]) func whatComesAfterAnIdentifyIsTheirs(isRefused: Bool) async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.setPushToken("0aff")
            if isRefused {
                try await visitor.identify(Self.b)
                try await visitor.track("before")
                try await world.settle(installation)
            }
            try await visitor.identify(Self.a)
            try await visitor.track("known")
            try await world.settle(installation)
            world.emulator.faults.inject(.connectionRefused, on: .updateEmail)
            try await visitor.updateEmail("b@example.com")
            try await visitor.identify(Self.b)
            try await visitor.track("after")
            try await visitor.purchase([IterableWorld.boots], total: 9.34)
            try await world.settle(installation)
            #expect(visitor.state == .known(Self.b))
        }
        let before = world.iterable.user(email: "a@example.com")
        #expect((before != nil) == isRefused)
        let names = world.iterable.events(of: .email("b@example.com")).map(\.name)
        #expect(names == [isRefused ? "before" : "known", "after", nil])
        if isRefused { #expect(world.iterable.events(of: .email("a@example.com")).map(\.name) == ["known"]) }
        // The device is of who is there.
        #expect(before?.devices.contains(where: \.isEnabled) != true)
        #expect(world.iterable.user(email: "b@example.com")?.devices.map(\.isEnabled) == [true])
    }

    /// The end of the work of the user before, who has the name by then, is not the end of the login's.
    @Test func aLoginWithAnAddressThatWaitsIsDoneWithItsOwnWork() async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            let visitor = installation.iterable
            try await visitor.setPushToken("0aff")
            try await visitor.identify(Self.a)
            try await visitor.track("known")
            try await world.settle(installation)
            var outcomes = installation.identitySyncOutcomes().makeAsyncIterator()
            world.emulator.faults.inject(.connectionRefused, on: .updateEmail)
            let gate = EmulatorGate()
            world.emulator.faults.inject(.held(gate), on: .registerDevice)
            try await visitor.updateEmail("b@example.com")
            // Refused once by now.
            try await visitor.waitUntilIdle()
            try await installation.login([.email: "b@example.com"])
            await gate.arrived()
            #expect(world.iterable.user(email: "b@example.com") != nil)
            #expect(signet.runtime.context.store.contains(StateKey.outbox("v")))
            gate.open()
            try await world.settle(installation)
            guard case .done = await outcomes.next(isolation: nil)?.kind else {
                Issue.record("not done")
                return
            }
            #expect(visitor.state == .known(Self.b))
        }
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
