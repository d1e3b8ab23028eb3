// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Events that the store was not told of, while a call decides about the session: each counts once, for its session or as late.
@Suite(.watched) struct FleetUntoldActivityTests {
    /// A visitor whose session all replicas know.
    private static func visitor(of fleet: TestFleet) async throws -> Installation {
        let here = try await fleet[0].open()
        try await here.login([.customerID: "c-1"])
        try here.log(.custom("first"))
        try await fleet.pass(3)
        try await here.refresh()
        _ = try #require(try fleet.row().session)
        return here
    }

    /// Lets time pass in small steps until a condition holds.
    private static func pass(
        _ fleet: TestFleet,
        until what: String,
        _ condition: () throws -> Bool
    ) async throws {
        var turns = 0
        try await until(what) {
            turns += 1
            if turns % 200 == 0 { fleet.clock.advance(by: .milliseconds(100)) }
            return try condition()
        }
    }

    /// Lets time pass until a flush has told the untold events: its answer makes a reading, as the tag or the session is another one.
    private static func passFlush(_ fleet: TestFleet, _ store: MemorySharedStore) async throws {
        let readings = store.count(of: .read)
        try await Self.pass(fleet, until: "a flush has told the events") { store.count(of: .read) > readings }
    }

    @Test func aCallThatKeepsTheSessionDropsNoEventThatTheStoreWasNotToldOf() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await Self.visitor(of: fleet)
            let before = try #require(try fleet.row().session)
            fleet.clock.advance(by: .milliseconds(200))
            for _ in 0..<3 { try here.log(.custom("untold")) }
            try await here.setSessionAttribute("spring", for: "campaign")
            try await fleet.pass(3)
            let after = try #require(try fleet.row().session)
            #expect(after.id == before.id)
            #expect(after.events == before.events + 3)
            #expect(after.last > before.last)
        }
    }

    @Test func theEndCountsWhatWasLoggedBeforeACallThatKeptTheSession() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await Self.visitor(of: fleet)
            for _ in 0..<3 { try here.log(.custom("untold")) }
            let count = try #require(here.sessionSummary?.eventCount)
            try await here.setSessionAttribute("spring", for: "campaign")
            #expect(here.sessionSummary?.eventCount == count)
            try await fleet.pass(80)
            try await fleet.upload()
            let end = try #require(fleet.events.first { $0.type == "session_end" })
            #expect(end.customAttributes["$EventCount"] == "\(count)")
            #expect(fleet[0].runtime.statistics.eventsAfterSessionEnd == 0)
        }
    }

    /// Told already, but the handle has not read the row since.
    @Test func aCallThatKeepsTheSessionForgetsNoCountThatTheStoreWasTold() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await Self.visitor(of: fleet)
            for _ in 0..<3 { try here.log(.custom("told")) }
            try await fleet.pass(3)
            let count = try #require(here.sessionSummary?.eventCount)
            #expect(try fleet.row().session?.events == count)
            try await here.setSessionAttribute("spring", for: "campaign")
            #expect(here.sessionSummary?.eventCount == count)
        }
    }

    @Test func whatIsLoggedWhileSuchACallIsUnderWayCountsToo() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await Self.visitor(of: fleet)
            let before = try #require(try fleet.row().session)
            let gate = EmulatorGate()
            fleet[0].store.faults.inject(.requestHeld(gate), on: .commit)
            async let change: Void = here.setSessionAttribute("spring", for: "campaign")
            await gate.arrived()
            for _ in 0..<2 { try here.log(.custom("meanwhile")) }
            let count = here.sessionSummary?.eventCount
            gate.open()
            try await change
            #expect(here.sessionSummary?.eventCount == count)
            try await fleet.pass(3)
            #expect(try fleet.row().session?.events == before.events + 2)
        }
    }

    /// The event has begun the session here, and its end of before and its begin are decided by the call.
    @Test func theBeginOfASessionByACallDropsNoEventThatWasLoggedForIt() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await Self.visitor(of: fleet)
            let first = try #require(here.currentSession)
            fleet[0].store.faults.injectAlways(.unreachable)
            fleet.clock.advance(by: .seconds(61))
            // The flush of this moment fails before the event: the next one is a second away.
            for _ in 0..<500 { await Task.yield() }
            try here.log(.custom("next"))
            let next = try #require(here.currentSession)
            #expect(next != first)
            fleet[0].store.faults.clear()
            try await here.beginSession()
            #expect(here.sessionSummary?.eventCount == 1)
            try await fleet.pass(3)
            let session = try #require(try fleet.row().session)
            #expect(session.id == next.uuid)
            #expect(session.events == 1)
        }
    }

    /// A flush takes the events for which a call begins their session: before the begin, or before its answer.
    @Test(arguments: [true, false])
    func theBeginOfASessionAndAFlushMeanwhileCountEachEventOnce(hasBegun: Bool) async throws {
        try await TestFleet(1) { $0.sessions.beginsAtOpen = false }.run { fleet in
            let (here, store) = (try await fleet[0].open(), fleet[0].store)
            try await here.login([.customerID: "c-1"])
            try await fleet.pass(3)
            let gate = EmulatorGate()
            store.faults.inject(hasBegun ? .replyHeld(gate) : .requestHeld(gate), on: .commit)
            for _ in 0..<2 { try here.log(.custom("first")) }
            async let change: Void = here.setSessionAttribute("spring", for: "campaign")
            await gate.arrived()
            #expect((try fleet.row().session != nil) == hasBegun)
            try await Self.passFlush(fleet, store)
            gate.open()
            try await change
            try await fleet.pass(3)
            #expect(try fleet.row().session?.events == 2)
            // The last reading may be of before the flush.
            try await here.refresh()
            #expect(here.sessionSummary?.eventCount == 2)
            try await fleet.pass(80)
            try await fleet.upload()
            let end = try #require(fleet.events.first { $0.type == "session_end" })
            #expect(end.customAttributes["$EventCount"] == "2")
            #expect(fleet[0].runtime.statistics.eventsAfterSessionEnd == 0)
        }
    }

    /// The flush came before the begin, and had no session to count its events in.
    @Test func anEndCountsWhatAFlushCouldNotTell() async throws {
        try await TestFleet(1) { $0.sessions.beginsAtOpen = false }.run { fleet in
            let (here, store) = (try await fleet[0].open(), fleet[0].store)
            try await here.login([.customerID: "c-1"])
            try await fleet.pass(3)
            let gate = EmulatorGate()
            store.faults.inject(.requestHeld(gate), on: .commit)
            for _ in 0..<2 { try here.log(.custom("first")) }
            async let change: Void = here.setSessionAttribute("spring", for: "campaign")
            await gate.arrived()
            try await Self.passFlush(fleet, store)
            gate.open()
            try await change
            for _ in 0..<500 { await Task.yield() }
            try await here.endSession()
            try await fleet.pass(3)
            try await fleet.upload()
            let end = try #require(fleet.events.first { $0.type == "session_end" })
            #expect(end.customAttributes["$EventCount"] == "2")
            #expect(fleet[0].runtime.statistics.eventsAfterSessionEnd == 0)
        }
    }

    /// While the store is away, each event asks for a reading.
    @Test func aStoreWaitsForTheNextFlushOnce() async throws {
        try await TestFleet(1, whenUnreachable: .logOnly).run { fleet in
            fleet[0].store.faults.injectAlways(.unreachable)
            let here = try await fleet[0].open()
            for _ in 0..<100 { try here.log(.custom("unread")) }
            let unflushed = try #require(here.core.store.shared).unflushed
            #expect(unflushed.count == 1)
        }
    }

    /// An opt-in that changes nothing logs its event, too.
    @Test func anEventOfTheCallThatBeginsItsSessionCountsOnce() async throws {
        try await TestFleet(1) { $0.sessions.beginsAtOpen = false }.run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try here.log(.custom("first"))
            try await here.setOptedOut(false)
            #expect(here.sessionSummary?.eventCount == 2)
            try await fleet.pass(3)
            #expect(try fleet.row().session?.events == 2)
            #expect(here.sessionSummary?.eventCount == 2)
        }
    }

    /// The commit that left the session has no more to tell of it.
    @Test func anOptOutLeavesNothingToTellOfASessionThatNoReplicaKnew() async throws {
        try await TestFleet(1) { $0.sessions.beginsAtOpen = false }.run { fleet in
            let here = try await fleet[0].open()
            try here.log(.custom("first"))
            try await here.setOptedOut(true)
            try await fleet.pass(3)
            #expect(try fleet.row().session == nil)
            #expect(fleet[0].runtime.statistics.eventsAfterSessionEnd == 0)
        }
    }

    /// The moment of the last event does not show that there was another one.
    @Test func anEndCountsWhatAnotherReplicaHasLoggedInTheSameMillisecond() async throws {
        try await TestFleet().run { fleet in
            let here = try await Self.visitor(of: fleet)
            let there = try await fleet[1].open()
            let before = try #require(try fleet.row().session).events
            let gate = EmulatorGate()
            fleet[1].store.faults.inject(.requestHeld(gate), on: .flush)
            try here.log(.custom("here"))
            try there.log(.custom("there"))
            try await Self.pass(fleet, until: "a flush of one, while that of the other one is held") {
                try fleet.row().session?.events == before + 1 && gate.heldCount == 1
            }
            try await here.refresh()
            let count = try #require(here.sessionSummary?.eventCount)
            gate.open()
            try await Self.pass(fleet, until: "the flush of the other one") {
                try fleet.row().session?.events == before + 2
            }
            try await here.endSession()
            try await fleet.upload()
            let end = try #require(fleet.events.first { $0.type == "session_end" })
            #expect(end.customAttributes["$EventCount"] == "\(count + 1)")
            #expect(fleet.replicas.map(\.runtime.statistics.eventsAfterSessionEnd) == [0, 0])
        }
    }

    /// The end has them, and the flush that took them meanwhile finds no session.
    @Test func whatTheEndHasCountedIsNotLateForAFlushMeanwhile() async throws {
        try await TestFleet(1).run { fleet in
            let (here, store) = (try await Self.visitor(of: fleet), fleet[0].store)
            for _ in 0..<2 { try here.log(.custom("counted")) }
            let count = try #require(here.sessionSummary?.eventCount)
            let gate = EmulatorGate()
            store.faults.inject(.replyHeld(gate), on: .commit)
            async let end: Void = here.endSession()
            await gate.arrived()
            try await Self.passFlush(fleet, store)
            gate.open()
            try await end
            try await fleet.pass(3)
            try await fleet.upload()
            let ended = try #require(fleet.events.first { $0.type == "session_end" })
            #expect(ended.customAttributes["$EventCount"] == "\(count)")
            #expect(fleet[0].runtime.statistics.eventsAfterSessionEnd == 0)
        }
    }

    /// The end is decided: such an event is none of its count, and is not lost without a trace.
    @Test func whatIsLoggedWhileTheEndIsUnderWayCountsAsAfterIt() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await Self.visitor(of: fleet)
            try here.log(.custom("counted"))
            let count = try #require(here.sessionSummary?.eventCount)
            let gate = EmulatorGate()
            fleet[0].store.faults.inject(.requestHeld(gate), on: .commit)
            async let end: Void = here.endSession()
            await gate.arrived()
            try here.log(.custom("late"))
            gate.open()
            try await end
            try await fleet.pass(3)
            try await fleet.upload()
            let ended = try #require(fleet.events.first { $0.type == "session_end" })
            #expect(ended.customAttributes["$EventCount"] == "\(count)")
            #expect(fleet.events.contains { $0.name == "late" })
            #expect(fleet[0].runtime.statistics.eventsAfterSessionEnd == 1)
        }
    }
}
