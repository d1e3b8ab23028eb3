// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A visitor who comes back just before the timeout, and whose row does not say so yet: one session, not two.
@Suite(.watched) struct FleetTwoSessionsTests {
    /// What the flush of the return meets.
    enum Flush: CaseIterable {
        /// No flush has begun.
        case waits
        /// The store has not seen it.
        case requestHeld
        /// The store has it, its answer is on the way.
        case replyHeld
        /// Its answer is lost, and so is that of its repetition.
        case answerLost
    }

    /// Opens an installation again, as the next request of a visitor does.
    private static func request(_ replica: TestFleet.Replica, _ name: String) async throws {
        let here = try await replica.open()
        try here.log(.custom(name))
    }

    /// A visitor with a known user, whose last event is now.
    private static func visitor(_ fleet: TestFleet) async throws {
        let here = try await fleet[0].open()
        try await here.login([.customerID: "c-1"])
        try here.log(.custom("e1"))
    }

    private static func expectOneSession(_ fleet: TestFleet, _ names: [String]) throws {
        let events = fleet.events.filter { names.contains($0.name ?? "") }
        #expect(events.compactMap(\.name).sorted() == names.sorted())
        let session = try #require(events.first?.sessionUUID)
        let all = fleet.events.filter { $0.sessionUUID == session && !$0.type.hasPrefix("session_") }
        #expect(events.allSatisfy { $0.sessionUUID == session })
        #expect(fleet.count("session_start") == 1)
        #expect(fleet.replicas.map(\.runtime.statistics.eventsAfterSessionEnd).reduce(0, +) == 0)
        let end = try #require(fleet.events.first { $0.type == "session_end" })
        #expect(end.customAttributes["$EventCount"] == "\(all.count)")
    }

    /// Each request opens a handle of its own, or one handle stays.
    @Test(arguments: Flush.allCases, [true, false])
    func aReturnBeforeTheTimeoutKeepsTheSessionWhileItsFlushIsNotAnswered(_ flush: Flush, keeps: Bool) async throws {
        try await TestFleet(1).run { fleet in
            try await Self.visitor(fleet)
            try await fleet.pass(3)
            let handle = keeps ? try await fleet[0].open() : nil
            fleet.clock.advance(by: .seconds(55))
            for _ in 0..<500 { await Task.yield() }
            let gate = EmulatorGate()
            let faults = fleet[0].store.faults
            switch flush {
            case .waits, .requestHeld: faults.inject(.requestHeld(gate), on: .flush)
            case .replyHeld: faults.inject(.replyHeld(gate), on: .flush)
            case .answerLost: faults.inject(.requestLate, on: .flush, times: 3)
            }
            if flush == .waits {
                await until("a flush before the return") {
                    fleet.clock.advance(by: .milliseconds(100))
                    return gate.heldCount == 1
                }
            }
            try await Self.request(fleet[0], "e2")
            if flush != .waits, flush != .answerLost {
                await until("the flush of the return") {
                    fleet.clock.advance(by: .milliseconds(50))
                    return gate.heldCount == 1
                }
            }
            fleet.clock.advance(by: .seconds(7))
            for _ in 0..<200 { await Task.yield() }
            try await Self.request(fleet[0], "e3")
            gate.open()
            try await fleet.pass(6)
            try await Self.request(fleet[0], "e4")
            try await fleet.pass(80)
            try await fleet.upload()
            try Self.expectOneSession(fleet, ["e1", "e2", "e3", "e4"])
            withExtendedLifetime(handle) {}
        }
    }

    /// Its object is among those to flush again, with nothing to tell, while the first flush has no answer.
    @Test func anObjectWithNothingNewKeepsWhatIsInFlight() async throws {
        try await TestFleet(1).run { fleet in
            try await Self.visitor(fleet)
            try await fleet.pass(3)
            fleet.clock.advance(by: .seconds(55))
            for _ in 0..<500 { await Task.yield() }
            let here = try await fleet[0].open()
            let store = try #require(here.core.store.shared)
            try here.log(.custom("e2"))
            fleet.engine.lock(["visitor"])
            try await fleet.pass(3)
            store.enter()
            try await fleet.pass(2)
            #expect(store.hasActivityInFlight)
            #expect(store.unflushed.missing(besides: store) == [])
            let other = try #require(try await fleet[0].open("other").core.store.shared)
            #expect(store.unflushed.inFlightCount(of: store.key) == 1)
            #expect(other.unflushed.inFlightCount(of: other.key) == 0)
            fleet.engine.lock([])
            try await fleet.pass(3)
            #expect(store.unflushed.inFlightCount(of: store.key) == 0)
        }
    }

    /// The reading was made before the store had the flush, and comes after its answer.
    @Test func aReadingThatAFlushOvertakesEndsNoSession() async throws {
        try await TestFleet(1).run { fleet in
            try await Self.visitor(fleet)
            try await fleet.pass(3)
            let here = try await fleet[0].open()
            fleet.clock.advance(by: .seconds(55))
            for _ in 0..<500 { await Task.yield() }
            let (flush, reading) = (EmulatorGate(), EmulatorGate())
            let faults = fleet[0].store.faults
            faults.inject(.requestHeld(flush), on: .flush)
            try await Self.request(fleet[0], "e2")
            await until("the flush of the return") {
                fleet.clock.advance(by: .milliseconds(50))
                return flush.heldCount == 1
            }
            fleet.clock.advance(by: .seconds(7))
            faults.inject(.replyHeld(reading), on: .read)
            async let refreshed: Void = here.refresh()
            await reading.arrived()
            flush.open()
            try await until("the row has the return") {
                try fleet.row().session.map { $0.last > fleet.clock.milliseconds - 10_000 } ?? false
            }
            for _ in 0..<500 { await Task.yield() }
            reading.open()
            try await refreshed
            try here.log(.custom("e3"))
            try await fleet.pass(80)
            try await fleet.upload()
            try Self.expectOneSession(fleet, ["e1", "e2", "e3"])
        }
    }

    /// The flush of the one is not answered for a while; the visitor stays with it, or goes to the other one once it is.
    @Test func onTwoReplicasAReturnKeepsTheSessionToo() async throws {
        try await TestFleet(2).run { fleet in
            try await Self.visitor(fleet)
            try await Self.request(fleet[1], "b1")
            try await fleet.pass(3)
            fleet.clock.advance(by: .seconds(55))
            for _ in 0..<500 { await Task.yield() }
            let gate = EmulatorGate()
            fleet[0].store.faults.inject(.requestHeld(gate), on: .flush)
            try await Self.request(fleet[0], "e2")
            await until("the flush of the return") {
                fleet.clock.advance(by: .milliseconds(50))
                return gate.heldCount == 1
            }
            fleet.clock.advance(by: .seconds(7))
            for _ in 0..<200 { await Task.yield() }
            try await Self.request(fleet[0], "e3")
            gate.open()
            try await fleet.pass(3)
            try await Self.request(fleet[1], "b4")
            try await fleet.pass(80)
            try await fleet.upload()
            try Self.expectOneSession(fleet, ["e1", "b1", "e2", "e3", "b4"])
        }
    }
}
