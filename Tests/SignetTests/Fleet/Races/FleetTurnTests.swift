// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// An identity call waits for its turn at the platform first, and takes the slot of the row only then.
@Suite(.watched) struct FleetTurnTests {
    /// Replicas that have one identity request in flight at most.
    private static func narrow() throws -> TestFleet {
        try TestFleet { $0.identity.maximumInFlight = 1 }
    }

    @Test func aCallThatWaitsForItsTurnHereKeepsNoOtherReplicaFromCalling() async throws {
        try await Self.narrow().run { fleet in
            let gate = EmulatorGate()
            fleet.platform.faults.inject(.held(gate), on: .login)
            let other = try await fleet[0].open("another visitor")
            async let first = other.login([.customerID: "c-0"])
            await gate.arrived()
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            async let waiting = here.login([.customerID: "c-1"])
            await until("a call that waits") { here.core.store.read { $0.identity.isBusy } }
            for _ in 0..<500 { await Task.yield() }
            #expect(try fleet.row().slot == nil)
            let second = try await there.login([.customerID: "c-2"])
            gate.open()
            _ = try await first
            // Made of the row that came with the slot.
            let result = try await waiting
            #expect(result.previousUser?.mpid == second.user.mpid)
            #expect(result.user.identities[.customerID]?.value == "c-1")
            #expect(try fleet.row().slot == nil)
        }
    }

    @Test func aCallInAPauseThatThePlatformAskedForTakesNoSlot() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            fleet.platform.faults.inject(.status(429, retryAfter: .seconds(20)), on: .login)
            #expect(await code { try await here.login([.customerID: "c-1"]) } == .throttled)
            #expect(try fleet.row().slot == nil)
            fleet[0].store.faults.injectAlways(.unreachable, on: .takeSlot)
            #expect(await code { try await here.login([.customerID: "c-1"]) } == .throttled)
            fleet[0].store.faults.clear()
            #expect(fleet.platform.users().isEmpty)
            fleet.clock.advance(by: .seconds(21))
            try await here.login([.customerID: "c-1"])
            #expect(fleet.platform.users().count == 1)
        }
    }

    @Test func aCallThatFindsTheSlotTakenGivesItsTurnToTheNext() async throws {
        try await Self.narrow().run { fleet in
            let (here, other) = (try await fleet[0].open(), try await fleet[0].open("another visitor"))
            let store = try #require(here.core.store.shared)
            let dead = SharedSlotRequest(key: store.key, token: SlotLease.token(isOwn: false), owner: .random())
            _ = try await fleet[0].store.takeSlot(dead, for: .seconds(15))
            #expect(await code { try await here.login([.customerID: "c-1"]) } == .requestInProgress)
            try await other.login([.customerID: "c-2"])
            // Nor does a call that polls the slot keep it.
            async let polling = here.login([.customerID: "c-1"], whenBusy: .wait(upTo: .seconds(30)))
            await until("a call that waits") { here.core.store.read { $0.identity.isBusy } }
            for _ in 0..<500 { await Task.yield() }
            try await other.login([.customerID: "c-3"])
            try await fleet[0].store.releaseSlot(dead)
            fleet.clock.advance(by: .seconds(1))
            #expect(try await polling.user.identities[.customerID]?.value == "c-1")
        }
    }

    @Test func aModifyThatChangesNothingSucceedsInAPauseOfThePlatform() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            fleet.platform.faults.inject(.status(429, retryAfter: .seconds(20)), on: .modify)
            #expect(await code { try await here.modify([.email: "ann@example.com"]) } == .throttled)
            let result = try await here.modify([.customerID: "c-1"])
            #expect(!result.isSent)
            #expect(await code { try await here.modify([.email: "ann@example.com"]) } == .throttled)
        }
    }
}
