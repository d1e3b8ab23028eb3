// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A replica has more visitors than it changes at the same time.
@Suite(.watched) struct FleetManyVisitorsTests {
    private let ids = (0..<20).map { InstallationID("visitor-\($0)") }

    private func visitors(of replica: TestFleet.Replica) async throws -> [Installation] {
        var visitors: [Installation] = []
        for id in self.ids {
            let visitor = try await replica.open(id)
            try await visitor.login([.customerID: "c-\(id)"])
            try visitor.log(.custom("first"))
            visitors.append(visitor)
        }
        return visitors
    }

    @Test func eventsOfSessionsThatAreOverBeginNewOnes() async throws {
        try await TestFleet(1).run { fleet in
            let visitors = try await self.visitors(of: fleet[0])
            try await fleet.pass(3)
            fleet[0].store.faults.injectAlways(.unreachable)
            fleet.clock.advance(by: .seconds(61))
            for _ in 0..<500 { await Task.yield() }
            for visitor in visitors { try visitor.log(.custom("next")) }
            fleet[0].store.faults.clear()
            try await fleet.pass(5)
            for id in self.ids {
                let row = try fleet.row(id)
                #expect(row.session?.events == 1)
                #expect(row.outbox.isEmpty)
            }
            try await fleet.upload()
            #expect(fleet.count("session_start") == 40)
            #expect(fleet.count("session_end") == 20)
            #expect(fleet[0].runtime.statistics.eventsAfterSessionEnd == 0)
        }
    }

    /// While it is away, not each row is tried; none is forgotten.
    @Test func outboxesAreClearedOnceTheStoreIsBack() async throws {
        try await TestFleet(1).run { fleet in
            let visitors = try await self.visitors(of: fleet[0])
            try await fleet.pass(3)
            let store = fleet[0].store
            store.faults.injectAlways(.unreachable, on: .flush)
            for visitor in visitors { try await fleet.passing { try await visitor.endSession() } }
            store.faults.injectAlways(.unreachable)
            for id in self.ids { #expect(try !fleet.row(id).outbox.isEmpty) }
            let before = store.count(of: .commit)
            for _ in 0..<3 {
                fleet.clock.advance(by: .seconds(1))
                for _ in 0..<500 { await Task.yield() }
            }
            #expect(store.count(of: .commit) - before < 2 * self.ids.count)
            store.faults.clear()
            try await fleet.pass(5)
            for id in self.ids { #expect(try fleet.row(id).outbox.isEmpty) }
            try await fleet.upload()
            #expect(fleet.count("session_end") == 20)
        }
    }
}
