// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Rows that nobody has changed for a time.
@Suite(.watched) struct FleetRetentionTests {
    @Test(arguments: [
        (Duration.zero, 0), (.nanoseconds(1), 1), (.seconds(86_400), 1), (.seconds(86_401), 2), (.seconds(172_800), 2),
        (.seconds(-5), 0), (.seconds(Int64.max), Int(Int64.max / 86_400) + 1),
    ])
    func daysAreFullAndRoundedUp(duration: Duration, days: Int) {
        #expect(FleetRetention.days(in: duration) == days)
    }

    @Test func rowsAreRemovedInPortionsUntilNoneIsLeft() async throws {
        try await TestFleet(1).run { fleet in
            let count = SharedStoreLimits.batch * 2 + 3
            try await Self.makeRows(count, fleet)
            let removal = FleetRemoval(fleet: try #require(fleet[0].runtime.context.fleet))
            #expect(try await removal.removed(days: 1) == 0)
            #expect(fleet.engine.database.rows.count == count)
            #expect(try await removal.removed(days: 0) == count)
            #expect(fleet.engine.database.rows.isEmpty)
        }
    }

    @Test func anErrorOfTheStoreIsThrown() async throws {
        try await TestFleet(1).run { fleet in
            try await Self.makeRows(1, fleet)
            let removal = FleetRemoval(fleet: try #require(fleet[0].runtime.context.fleet))
            fleet[0].store.faults.inject(.unreachable, on: .removeIdle)
            #expect(await code { _ = try await removal.removed(days: 0) } == .storeUnreachable)
            #expect(fleet.engine.database.rows.count == 1)
        }
    }

    @Test func aReplicaRemovesWhatIsOlderThanTheRetention() async throws {
        let fleet = try TestFleet(2) { $0.installations.retention = .seconds(36 * 3600) }
        try await fleet.run { fleet in
            try await Self.makeRows(3, fleet)
            let old = try await fleet[0].open("old")
            try await old.login([.customerID: "c-1"])
            try await old.endSession()
            try await fleet.pass(3)
            fleet.clock.advance(by: .seconds(24 * 3600))
            // The first time is within an hour, and nothing is two days old.
            try await fleet.pass(3)
            #expect(fleet.engine.database.rows.count == 4)
            fleet.clock.advance(by: .seconds(25 * 3600))
            await until("the rows are removed") {
                fleet.clock.advance(by: .seconds(60))
                return fleet.engine.database.rows.isEmpty
            }
            await until("they are counted") {
                fleet.replicas.reduce(0) { $0 + $1.runtime.statistics.installationsRemoved } == 4
            }
            // The handle finds it out.
            #expect(await code { try await old.refresh() } == .closed)
        }
    }

    @Test func withoutARetentionAllStay() throws {
        let fleet = try TestFleet(1) { $0.installations.retention = nil }
        let context = fleet[0].runtime.context
        #expect(FleetRetention(try #require(context.fleet), context) == nil)
    }

    /// Makes rows that no replica has in memory.
    private static func makeRows(_ count: Int, _ fleet: TestFleet) async throws {
        let store = MemorySharedStore(fleet.engine)
        for number in 0..<count {
            let id = InstallationID("row-\(number)")
            let state = SharedState(
                identity: IdentityState(deviceApplicationStamp: .random(), now: fleet.clock.milliseconds),
                part: SharedPart()
            )
            var commit = SharedCommit(
                id,
                key: SharedIDs.key(of: Array(id.rawValue.utf8)),
                if: .isMissing,
                tag: .random()
            )
            commit.state = state.encoded()
            #expect(try await store.commit([commit]).value == [.committed])
        }
    }
}

extension FleetRemoval {
    /// The number of rows that are removed.
    fileprivate func removed(days: Int) async throws(SignetError) -> Int {
        var count = 0
        try await self.removeIdle(days: days) { count += $0 }
        return count
    }
}
