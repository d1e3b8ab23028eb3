// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// The event of an opt-out, which must be logged whatever happens to the replica that opted out.
@Suite(.watched) struct FleetOptOutTests {
    @Test func theEventOfAnOptOutIsLoggedByAnotherReplicaIfTheFirstOneDied() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            // The commit is made, and the replica never hears of it: as if it was killed in between.
            Self.cutOff(fleet[0])
            let outcome = try await fleet.passing { await code { try await here.setOptedOut(true) } }
            #expect(outcome == .outcomeUnknown)
            let entry = try #require(Self.outbox(of: fleet)?.optOuts.first)
            try await fleet.pass(80, besides: [0])
            try await fleet[1].runtime.upload()
            let events = fleet.events.filter { $0.type == "opt_out" }
            #expect(events.map(\.messageID) == [entry.id.uuidString])
            #expect(events.first?.timestamp == entry.milliseconds)
            #expect(Self.outbox(of: fleet)?.isEmpty == true)
        }
    }

    @Test func theEventOfAnOptOutThatWasLoggedLeavesTheOutbox() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await here.setOptedOut(true)
            #expect(Self.outbox(of: fleet)?.optOuts.count == 1)
            try await fleet.pass(2)
            #expect(Self.outbox(of: fleet)?.isEmpty == true)
            try await here.setOptedOut(false)
            try await here.setOptedOut(true)
            try await fleet.pass(80)
            try await fleet.upload()
            #expect(fleet.count("opt_out") == 3)
        }
    }

    /// The reading was under way during the commit, and the clock cannot tell which one was first.
    @Test func whatIsLoggedIsRemovedAlsoAfterAnOlderReading() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            let (before, now) = (try fleet.row(), here.core.context.time.uptime)
            try await here.setOptedOut(true)
            let store = try #require(here.core.store.shared)
            let milliseconds = fleet.engine.milliseconds
            _ = try store.take(FleetMember.Answer(value: before, milliseconds: milliseconds, sent: now, received: now))
            try #require(store.outbox.isEmpty && Self.outbox(of: fleet)?.optOuts.count == 1)
            _ = try await store.logOutbox(before: milliseconds)
            #expect(Self.outbox(of: fleet)?.isEmpty == true)
        }
    }

    /// The store is away when the replica wants to remove the entry, which it must not forget.
    @Test func whatIsLoggedIsRemovedAlsoAfterTheStoreWasAway() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await here.setOptedOut(true)
            fleet[0].store.faults.injectAlways(.unreachable)
            try await fleet.pass(20, besides: [0])
            #expect(Self.outbox(of: fleet)?.optOuts.count == 1)
            fleet[0].store.faults.clear()
            try await fleet.pass(3)
            #expect(Self.outbox(of: fleet)?.isEmpty == true)
            try await fleet.pass(80)
            try await fleet.upload()
            #expect(fleet.count("opt_out") == 1)
        }
    }

    /// The one who takes an entry over dies before its own event is in the journal: the entry is still there.
    @Test func anEntryThatIsTakenOverStaysUntilItIsLogged() throws {
        var outbox = SharedOutbox()
        let id = UUID.random()
        outbox.add(SharedOutbox.OptOut(id: id, isOptedOut: true, mpid: nil, at: 1000))
        #expect(outbox.due(at: 60_999) == [])
        #expect(outbox.due(at: 61_000) == [id])
        outbox.takeOver([id], at: 61_000)
        #expect(outbox.due(at: 120_999) == [])
        #expect(outbox.due(at: 121_000) == [id])
        #expect(try SharedOutbox(decoding: outbox.encoded()) == outbox)
        outbox.remove([id])
        #expect(outbox.isEmpty)
    }

    /// Lets the next commit of a replica happen, and nothing reach it any more.
    private static func cutOff(_ replica: TestFleet.Replica) {
        replica.store.faults.inject(.replyLost, on: .commit)
        replica.store.faults.injectAlways(.unreachable)
    }

    /// The outbox of the only row; nil if it cannot be read.
    private static func outbox(of fleet: TestFleet) -> SharedOutbox? {
        guard let row = fleet.engine.database.rows.values.first?.installation else { return nil }
        guard !row.outbox.isEmpty else { return SharedOutbox() }
        do {
            return try SharedOutbox(decoding: row.outbox)
        } catch {
            Issue.record(error)
            return nil
        }
    }
}
