// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A session ends when all replicas have told of it, by a clock that may be set.
@Suite(.watched) struct FleetSessionTests {
    @Test func anOpenEndsNoSessionThatAnotherReplicaHasEventsOf() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            try await fleet.pass(55)
            // The rows are looked at later.
            for replica in fleet.replicas { replica.store.faults.injectAlways(.unreachable, on: .claimDue) }
            fleet[1].store.faults.injectAlways(.unreachable, on: .flush)
            try there.log(.custom("late"))
            let session = try #require(there.currentSession)
            fleet.clock.advance(by: .seconds(6))
            _ = try await fleet[0].open()
            #expect(fleet.engine.database.rows.values.first?.installation.session?.id == session.uuid)
            for replica in fleet.replicas { replica.store.faults.clear() }
            try await fleet.pass(5)
            _ = try await fleet[0].open()
            #expect(here.currentSession == session)
            try await fleet.pass(80)
            try await fleet.upload()
            #expect(fleet.count("session_end") == 1)
            let late = try #require(fleet.events.first { $0.name == "late" })
            #expect(fleet.events.first { $0.type == "session_end" }?.timestamp == late.timestamp)
        }
    }

    @Test func anOpenEndsASessionThatAllHaveToldOf() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            let session = try #require(here.currentSession)
            for replica in fleet.replicas { replica.store.faults.injectAlways(.unreachable, on: .claimDue) }
            try await fleet.pass(70)
            let next = try await fleet[0].open().currentSession
            #expect(next != nil && next != session)
            #expect(fleet.engine.database.rows.values.first?.installation.session?.id == next?.uuid)
        }
    }

    @Test func aShutdownDeliversTheEndOfASessionThatItsReplicaIsDeciding() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await fleet.upload()
            // The row is looked at later, so that the first look ends the session.
            fleet[0].store.faults.injectAlways(.unreachable, on: .claimDue)
            try await fleet.pass(70)
            let gate = EmulatorGate()
            fleet[0].store.faults.clear()
            fleet[0].store.faults.inject(.replyHeld(gate), on: .commit)
            let runtime = fleet[0].runtime
            var turns = 0
            await until("the store has the end of the session") {
                turns += 1
                if turns % 200 == 0 { fleet.clock.advance(by: .milliseconds(100)) }
                return fleet.engine.database.rows.values.first?.installation.session == nil
            }
            async let report = fleet.passing { await runtime.shutdown(within: .seconds(20)) }
            await until("the shutdown has begun") { !runtime.context.lifecycle.acceptsCalls }
            for _ in 0..<500 { await Task.yield() }
            gate.open()
            #expect(try await report.isComplete)
            #expect(fleet.count("session_end") == 1)
        }
    }

    /// Else another replica would log that end once more, with the same id.
    @Test func theLastFlushLeavesNoEndInTheOutbox() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try here.log(.custom("first"))
            try await fleet.pass(3)
            let first = try #require(try fleet.row().session)
            fleet[0].store.faults.injectAlways(.unreachable)
            fleet.clock.advance(by: .seconds(61))
            // The flush of this moment fails before the event: the next one is that of the shutdown.
            for _ in 0..<500 { await Task.yield() }
            try here.log(.custom("next"))
            fleet[0].store.faults.clear()
            let runtime = fleet[0].runtime
            #expect(try await fleet.passing { await runtime.shutdown(within: .seconds(20)) }.isComplete)
            let row = try fleet.row()
            #expect(row.session.map(\.id) != first.id)
            #expect(row.outbox.isEmpty)
            #expect(fleet.count("session_end") == 1)
        }
    }

    /// The store is slow while a shutdown tells it the rest: what is cut off is told at the end.
    @Test func aShutdownThatIsCutOffCountsNoEventAsLate() async throws {
        try await TestFleet(1) { $0.sessions.beginsAtOpen = false }.run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await fleet.pass(3)
            try here.log(.custom("first"))
            // The flush of it is answered, then the row is read.
            fleet[0].store.faults.inject(.requestHeld(EmulatorGate()), on: .read)
            let runtime = fleet[0].runtime
            _ = try await fleet.passing { await runtime.shutdown(within: .seconds(2)) }
            #expect(runtime.statistics.eventsAfterSessionEnd == 0)
            #expect(try fleet.row().session?.events == 1)
        }
    }

    /// One flush has one session of an installation, and each ends the one before.
    @Test func theLastFlushesTellSeveralSessionsOfSeveralVisitors() async throws {
        try await TestFleet(1).run { fleet in
            let visitors = try await [fleet[0].open("a"), fleet[0].open("b")]
            for visitor in visitors {
                try await visitor.login([.customerID: "c-\(visitor.id)"])
                try visitor.log(.custom("first"))
            }
            try await fleet.pass(3)
            fleet[0].store.faults.injectAlways(.unreachable)
            for number in 0..<3 {
                fleet.clock.advance(by: .seconds(61))
                for _ in 0..<500 { await Task.yield() }
                for visitor in visitors { try visitor.log(.custom("next \(number)")) }
            }
            fleet[0].store.faults.clear()
            let runtime = fleet[0].runtime
            #expect(try await fleet.passing { await runtime.shutdown(within: .seconds(20)) }.isComplete)
            #expect(runtime.statistics.eventsAfterSessionEnd == 0)
            #expect(fleet.count("session_start") == 8)
            #expect(fleet.count("session_end") == 6)
            for id in ["a", "b"] as [InstallationID] {
                #expect(try fleet.row(id).outbox.isEmpty)
                #expect(try fleet.row(id).session?.events == 1)
            }
        }
    }

    /// As after a failover to an engine whose clock is ahead.
    @Test func aClockOfTheDatabaseThatGoesAheadEndsNothing() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            let session = try #require(here.currentSession)
            try await fleet.pass(10)
            fleet.engine.moveClock(by: .seconds(3600))
            try await fleet.pass(20)
            #expect(here.currentSession == session)
            #expect(try await fleet[1].open().currentSession == session)
            #expect(fleet.engine.database.rows.values.first?.installation.session?.id == session.uuid)
            try await fleet.pass(60)
            try await fleet.upload()
            #expect(fleet.count("session_end") == 1)
        }
    }

    @Test func norDoesOneThatGoesBack() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            let session = try #require(here.currentSession)
            try await fleet.pass(10)
            fleet.engine.moveClock(by: .seconds(-3600))
            try await fleet.pass(20)
            #expect(here.currentSession == session)
            #expect(fleet.engine.database.rows.values.first?.installation.session?.id == session.uuid)
        }
    }

    @Test func aFlushClaimsNothingOfACommitThatIsUnderWay() {
        let clock = ManualClock()
        let time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        let unflushed = UnflushedStores()
        let begin = time.uptime
        let commit = unflushed.begin(at: time)
        clock.advance(by: .seconds(1))
        #expect(unflushed.cut(at: time) == begin)
        unflushed.end(commit)
        #expect(unflushed.cut(at: time) == begin + .seconds(1))
    }
}
