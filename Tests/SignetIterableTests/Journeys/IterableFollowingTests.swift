// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetIterable

/// A visitor follows every user of the installation, in order, whatever was left undone.
@Suite(.watched) struct IterableFollowingTests {
    private static func ledger(_ installation: Installation, _ names: String...) throws -> [UInt8] {
        let mpid = try #require(installation.currentUser?.mpid)
        var ledger = Outbox()
        for name in names {
            let call = OutboxEntry.Call.identify(email: nil, customerID: name)
            _ = ledger.add(OutboxEntry(id: UUID(), mpid: mpid, call: call, services: [.iterable]))
        }
        return ledger.encoded()
    }

    /// Killed between the login and what follows it: the login stands, so its visitor is who came.
    @Test func aCallAfterAKillInALoginIsNotThePreviousUsers() async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            try await installation.login([.customerID: "ann"])
            try await installation.iterable.track("hers")
            try await world.settle(installation)
            try signet.runtime.context.store.put(try Self.ledger(installation, "bob"), for: StateKey.outbox("v"))
        }
        let signet = try EmulatedSignet(
            in: world.folder.path,
            platform: world.emulator,
            clock: world.clock,
            settings: {
                $0.iterable = IterableConfiguration(apiKey: "emulated-project")
            }
        )
        let installation = try await signet.runtime.open("v", identify: .none)
        // Nobody runs it yet, so nothing that is done by itself was.
        try await installation.iterable.track("his")
        #expect(installation.iterable.state == .resolving(.userID("bob")))
        var outcomes = installation.identitySyncOutcomes().makeAsyncIterator()
        try await signet.run { _ in
            try await world.settle(installation)
            guard case .done = await outcomes.next(isolation: nil)?.kind else {
                Issue.record("not done")
                return
            }
        }
        #expect(world.iterable.events(of: .userID("ann")).map(\.name) == ["hers"])
        #expect(world.iterable.events(of: .userID("bob")).map(\.name) == ["his"])
    }

    /// What the visitor did is of whoever came first; the disk, which refused that, makes nobody else of them.
    @Test func nobodyIsPassedOver() async throws {
        let world = try IterableWorld()
        var userID = ""
        try await world.live { signet, installation in
            try await installation.iterable.browse()
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            guard case .unknown(let id) = installation.iterable.state else {
                Issue.record("\(installation.iterable.state)")
                return
            }
            userID = id
            try await installation.identify()
            let ledger = try Self.ledger(installation, "ann", "bob")
            try signet.runtime.context.store.put(ledger, for: StateKey.outbox("v"))
        }
        let signet = try world.start()
        let installation = try await signet.runtime.open("v", identify: .none)
        // Before anybody runs it: one of the outcomes is there at once.
        var outcomes = installation.identitySyncOutcomes().makeAsyncIterator()
        try await signet.run { signet in
            #expect(try await installation.iterable.track("his") == .queued)
            try await world.settle(installation)
            #expect(world.iterable.merges().map(\.source) == [.userID(userID)])
            #expect(world.iterable.merges().map(\.destination) == [.userID("ann")])
            #expect(world.iterable.events(of: .userID("bob")).map(\.name) == ["his"])
            guard case .superseded = await outcomes.next(isolation: nil)?.kind,
                case .done = await outcomes.next(isolation: nil)?.kind
            else {
                Issue.record("other outcomes")
                return
            }
            #expect(!signet.runtime.context.store.contains(StateKey.outbox("v")))
        }
    }

    @Test func twoLoginsThatWaitForOneAnotherAreFollowedInTheirOrder() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.browse()
            let gate = EmulatorGate()
            world.emulator.faults.inject(.held(gate), on: .login)
            async let first = installation.login([.customerID: "ann"])
            await gate.arrived()
            async let second = installation.login([.customerID: "bob"], whenBusy: .wait(upTo: .seconds(60)))
            gate.open()
            _ = try await (first, second)
            try await world.settle(installation)
            #expect(installation.iterable.state == .known(.userID("bob")))
            #expect(world.iterable.events(of: .userID("ann")).map(\.name) == ["view", nil, nil])
            #expect(world.iterable.events(of: .userID("bob")).isEmpty)
        }
    }

    /// Another user's name, longer than the service takes, does not leave the one before in front of the visitor.
    @Test func whoCannotBeNamedIsNotThePreviousUser() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            var outcomes = installation.identitySyncOutcomes().makeAsyncIterator()
            try await installation.login([.customerID: "ann"])
            try await world.settle(installation)
            try await installation.login([.customerID: String(repeating: "b", count: 256)])
            try await installation.iterable.track("nobodys")
            try await world.settle(installation)
            #expect(world.iterable.events(of: .userID("ann")).isEmpty)
            guard case .done = await outcomes.next(isolation: nil)?.kind,
                case .failed(let error) = await outcomes.next(isolation: nil)?.kind
            else {
                Issue.record("other outcomes")
                return
            }
            #expect(error.code == .invalidArgument)
        }
    }
}
