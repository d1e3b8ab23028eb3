// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import SignetRuntimeTestSupport
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

    @Test func aCancelledRemovalSaysSo() async throws {
        try await TestFleet(1).run { fleet in
            try await Self.makeRows(SharedStoreLimits.batch + 1, fleet)
            let removal = FleetRemoval(fleet: try #require(fleet[0].runtime.context.fleet))
            let counts = Locked<[Int]>([])
            let outcome = await withTaskGroup(of: SignetError.Code?.self) { group in
                group.addTask {
                    await code { () async throws(SignetError) in
                        try await removal.removeIdle(days: 0) { count in
                            counts.withLock { $0.append(count) }
                            withUnsafeCurrentTask { $0?.cancel() }
                        }
                    }
                }
                return await group.next() ?? nil
            }
            #expect(outcome == .cancelled)
            #expect(counts.withLock { $0 } == [SharedStoreLimits.batch], "what was told stays told")
            #expect(fleet.engine.database.rows.count == 1)
        }
    }

    // MARK: - An open is a use

    /// An open of a known row changes nothing else of it.
    @Test func whoComesEachWeekStaysForGood() async throws {
        let fleet = try TestFleet {
            $0.sessions.beginsAtOpen = false
            $0.installations.retention = nil
        }
        try await fleet.run { fleet in
            _ = try await fleet[0].open("away")
            try await fleet[0].open().setOptedOut(true)
            _ = try await fleet[0].open("other")
            try await fleet.pass(5)
            #expect(try fleet.row().outbox.isEmpty, "else it would stay for that")
            let removal = FleetRemoval(fleet: try #require(fleet[0].runtime.context.fleet))
            var removed = 0
            for week in 1...72 {
                fleet.clock.advance(by: .seconds(7 * 86_400))
                try await fleet.pass(1)
                let visitor = try await fleet[week % 2].open()
                #expect(visitor.isOptedOut)
                _ = try await fleet[week % 2].open("other")
                removed += try await removal.removed(days: 400)
            }
            #expect(removed == 1)
            #expect(Set(fleet.engine.database.rows.values.map(\.installation.id)) == ["visitor", "other"])
        }
    }

    @Test func anOpenIsNotedOnceInSevenDays() async throws {
        try await TestFleet(1, configure: { $0.sessions.beginsAtOpen = false }).run { fleet in
            var tags: [UUID] = []
            for _ in 0..<16 {
                _ = try await fleet[0].open()
                tags.append(try fleet.row().tag)
                fleet.clock.advance(by: .seconds(86_400))
                try await fleet.pass(1)
            }
            #expect(Set(tags).count == 3)
            #expect(tags[0] == tags[6] && tags[7] == tags[13] && tags[14] == tags[15])
        }
    }

    @Test func theDayOfAUseIsKeptInBothFormatsAndMovesOn() throws {
        let identity = IdentityState(deviceApplicationStamp: .random(), now: 0)
        var state = SharedState(identity: identity, part: SharedPart())
        #expect(try SharedState(decoding: state.encoded()).part.usedOn == nil)
        state.part.noteUse(at: 20_000 * 86_400_000 + 1)
        for format in RowFormats.current.oldest...RowFormats.current.newest {
            #expect(try SharedState(decoding: state.encoded(as: format)).part.usedOn == 20_000)
        }
        let days = [(20_000, 20_000), (20_006, 20_000), (20_007, 20_007), (20_013, 20_007), (20_014, 20_014)]
        for (day, noted) in days {
            state.part.noteUse(at: Int64(day) * 86_400_000)
            #expect(state.part.usedOn == Int64(noted), "day \(day)")
        }
        // Of a clock that was wrong.
        state.part.usedOn = .max
        state.part.noteUse(at: 20_014 * 86_400_000)
        #expect(state.part.usedOn == 20_014)
        state.part.usedOn = .min
        state.part.noteUse(at: 20_014 * 86_400_000)
        #expect(state.part.usedOn == 20_014)
    }

    // MARK: - The least time

    @Test(arguments: [
        (2160, 91), (365 * 24, 366), (1, 8), (7 * 24, 8), (7 * 24 + 1, 9),
    ])
    func eventsThatWaitGoBeforeTheirRow(hours: Int, days: Int) async throws {
        let age = Duration.seconds(hours * 3600)
        let least = max(.seconds(8 * 86_400), age + .seconds(86_400))
        #expect(FleetRetention.days(in: least) == days)
        let allowed = try TestFleet(1) {
            $0.events.storage.maximumAge = age
            $0.installations.retention = least
        }
        let error = #expect(throws: SignetError.self) {
            _ = try TestFleet(1) {
                $0.events.storage.maximumAge = age
                $0.installations.retention = least - .seconds(1)
            }
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("installations.retention") == true)
        try await allowed.run { fleet in
            let runtime = fleet[0].runtime
            let short = await code { _ = try await runtime.removeInstallations(idleFor: least - .seconds(1)) }
            #expect(short == .invalidArgument)
            #expect(await code { _ = try await runtime.removeInstallations(idleFor: least) } == nil)
        }
    }

    @Test func aReplicaRemovesWhatIsOlderThanTheRetention() async throws {
        let fleet = try TestFleet(2) {
            $0.events.storage.maximumAge = .seconds(20 * 86_400)
            $0.installations.retention = .seconds(21 * 86_400 + 43_200)
        }
        try await fleet.run { fleet in
            try await Self.makeRows(3, fleet)
            let old = try await fleet[0].open("old")
            try await old.login([.customerID: "c-1"])
            try await old.endSession()
            try await fleet.pass(3)
            // The first time is within an hour, and nothing is 22 days old.
            for _ in 0..<21 {
                fleet.clock.advance(by: .seconds(86_400))
                try await fleet.pass(3)
            }
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
