// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Batches that had a try before an opt-out on another replica: the row is read before each further one.
@Suite(.watched) struct FleetHeldOptOutTests {
    @Test(arguments: OptOutHeldBatchTests.Outage.allCases, [0, 1])
    func aHeldBatchIsDroppedAfterTheOptOut(outage: OptOutHeldBatchTests.Outage, on replica: Int) async throws {
        try await TestFleet().run { fleet in
            let (here, there) = try await Self.holding(fleet, outage.fault)
            try await (replica == 0 ? here : there).setOptedOut(true)
            // Past the longest pause.
            fleet.clock.advance(by: .seconds(3 * 3600))
            try await Self.deliver(fleet)
            #expect(Self.tries(of: "held", fleet) == 1)
            #expect(fleet.events.compactMap(\.name) == (outage == .replyLost ? ["held"] : []))
            #expect(fleet.count("opt_out") == 1)
            #expect((fleet[0].runtime.statistics.eventsDropped[.optedOut] ?? 0) >= 1)
            #expect(fleet[0].runtime.statistics.eventsWaiting == 0)
            #expect(fleet[0].runtime.statistics.eventsLost == 0)
            #expect(try Self.batchesOnDisk(of: fleet).isEmpty)
        }
    }

    @Test func anOptInDeliversWhatCameAfterItAndNotTheHeldBatch() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = try await Self.holding(fleet, .status(500))
            try await there.setOptedOut(true)
            fleet.clock.advance(by: .milliseconds(10))
            try await there.setOptedOut(false)
            fleet.clock.advance(by: .milliseconds(10))
            try await here.refresh()
            try here.log(.custom("after"))
            try await Self.deliver(fleet)
            #expect(Self.tries(of: "held", fleet) == 1)
            #expect(fleet.events.compactMap(\.name) == ["after"])
            #expect(fleet.count("opt_out") == 2)
            #expect(fleet[0].runtime.statistics.eventsWaiting == 0)
        }
    }

    /// The row says which of its events were logged before.
    @Test func whatIsLeftOfABatchOfBeforeAndAfterGoesInAnotherOne() async throws {
        try await TestFleet().run { fleet in
            let (here, _) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await fleet.upload()
            try here.log(.custom("before"))
            fleet.clock.advance(by: .milliseconds(10))
            let moment = fleet.engine.milliseconds
            try here.log(.custom("after"))
            fleet.clock.advance(by: .milliseconds(10))
            try here.log(.custom("later"))
            try await Self.fail(fleet, .connectionRefused)
            let held = try #require(try Self.batchesOnDisk(of: fleet).first)
            var state = try SharedState(decoding: fleet.row().state)
            state.part.eventsFrom = moment
            let changed = state.encoded()
            try await fleet.change { $0.state = changed }
            try await Self.deliver(fleet)
            #expect(fleet.events.compactMap(\.name) == ["after", "later"])
            #expect(Self.tries(of: "before", fleet) == 1)
            let bodies = fleet[0].signet.eventBodies.filter { String(decoding: $0, as: UTF8.self).contains("later") }
            #expect(bodies.count == 2)
            #expect(!String(decoding: bodies.last ?? [], as: UTF8.self).contains(held.id.uuidString))
            #expect(fleet[0].runtime.statistics.eventsWaiting == 0)
        }
    }

    /// Nobody can say if it was opted out: it waits, as one that is not cut yet.
    @Test func withoutTheStoreAHeldBatchWaits() async throws {
        try await TestFleet().run { fleet in
            let (_, there) = try await Self.holding(fleet, .connectionRefused)
            try await there.setOptedOut(true)
            fleet[0].store.faults.injectAlways(.unreachable)
            try await fleet.pass(30, besides: [0])
            await fleet[0].runtime.resumeUploads()
            try await fleet.pass(5, besides: [0])
            #expect(Self.tries(of: "held", fleet) == 1)
            #expect(try Self.batchesOnDisk(of: fleet).count == 1)
            fleet[0].store.faults.clear()
            try await Self.deliver(fleet)
            #expect(Self.tries(of: "held", fleet) == 1)
            #expect(fleet[0].runtime.statistics.eventsWaiting == 0)
        }
    }

    /// A held batch without a change keeps its id and its bytes.
    @Test func aHeldBatchOfWhoHasNotOptedOutGoesAgainAsItIs() async throws {
        try await TestFleet().run { fleet in
            let (_, there) = try await Self.holding(fleet, .replyLost)
            try await there.setAttribute("blue", for: "color")
            try await Self.deliver(fleet)
            let bodies = fleet[0].signet.eventBodies.filter { String(decoding: $0, as: UTF8.self).contains("held") }
            #expect(bodies.count == 2 && Set(bodies).count == 1)
            #expect(fleet.events.count { $0.name == "held" } == 1)
        }
    }

    @Test(arguments: FleetHostileRowTests.unreadable)
    func aHeldBatchWhoseRowCannotBeReadHoldsUpNoOther(bytes: [UInt8]) async throws {
        try await TestFleet(1).run { fleet in
            var handles: [Installation] = []
            for id in ["bad", "good"] as [InstallationID] {
                let handle = try await fleet[0].open(id)
                try await handle.login([.customerID: "c-\(id)"])
                handles.append(handle)
            }
            try await fleet.upload()
            try handles[0].log(.custom("of bad"))
            try await Self.fail(fleet, .connectionRefused)
            let intact = try fleet.row("bad").state
            try await fleet.change("bad") { $0.state = bytes }
            try handles[1].log(.custom("of good"))
            try await fleet.pass(10)
            await fleet[0].runtime.resumeUploads()
            #expect(await code { _ = try await fleet[0].runtime.upload() } == .uploadPaused)
            #expect(fleet.events.compactMap(\.name) == ["of good"])
            #expect(fleet[0].runtime.statistics.eventsDropped.isEmpty)
            try await fleet.change("bad") { $0.state = intact }
            try await fleet.upload()
            #expect(Set(fleet.events.compactMap(\.name)) == ["of good", "of bad"])
        }
    }

    // MARK: - A batch after its first try

    /// Logs an event on the first replica whose batch fails once.
    private static func holding(
        _ fleet: TestFleet,
        _ fault: FaultInjector.Fault
    ) async throws -> (here: Installation, there: Installation) {
        let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
        try await here.login([.customerID: "c-1"])
        try await there.refresh()
        try await fleet.upload()
        try here.log(.custom("held"))
        try await self.fail(fleet, fault)
        #expect(try self.batchesOnDisk(of: fleet).count == 1)
        return (here, there)
    }

    private static func fail(_ fleet: TestFleet, _ fault: FaultInjector.Fault) async throws {
        fleet.platform.faults.inject(fault, on: .events)
        #expect(await code { _ = try await fleet[0].runtime.upload() } == .uploadPaused)
    }

    /// Sends all that may be sent, past the pause after a failure.
    private static func deliver(_ fleet: TestFleet) async throws {
        try await fleet.pass(3)
        for replica in fleet.replicas { await replica.runtime.resumeUploads() }
        try await fleet.upload()
        try await fleet.pass(3)
        try await fleet.upload()
    }

    private static func tries(of name: String, _ fleet: TestFleet) -> Int {
        fleet[0].signet.eventBodies.count { String(decoding: $0, as: UTF8.self).contains("\"\(name)\"") }
    }

    private static func batchesOnDisk(of fleet: TestFleet) throws -> [BatchRecord] {
        try fleet[0].runtime.context.store.values(withPrefix: StateKey.batches) { Issue.record("\($0)") }
            .compactMap { BatchRecord($0.value) }
    }
}
