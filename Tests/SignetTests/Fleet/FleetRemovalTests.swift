// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// An installation that one replica removes while others have it in memory.
@Suite(.watched) struct FleetRemovalTests {
    @Test func theSessionEndsTheEventsAreDeliveredAndTheRowIsGone() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            try here.log(.custom("seen"))
            let stamp = here.deviceApplicationStamp
            let changes = here.userChanges()
            try await Self.remove(here, fleet)
            #expect(fleet.engine.database.rows.isEmpty)
            #expect(fleet.count("custom_event") == 1)
            #expect(fleet.count("session_end") == 1)
            var updates = changes.makeAsyncIterator()
            let change = await updates.next()
            #expect(change?.previous?.mpid == mpid)
            #expect(change?.current == nil)
            let statistics = fleet[0].runtime.statistics
            #expect(statistics.installationsRemoved == 1)
            #expect(statistics.eventsDropped.isEmpty)
            #expect(await code { try here.log(.custom("late")) } == .closed)
            #expect(await code { try await here.setConsent(nil) } == .closed)
            #expect(try await Self.removing(here, fleet) == .closed)
            let next = try await fleet[0].open()
            #expect(next.deviceApplicationStamp != stamp)
            #expect(next.currentUser == nil)
        }
    }

    @Test func aHandleElsewhereIsClosedAndItsEventsAreDroppedAndCounted() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = try await Self.visit(fleet)
            try there.log(.custom("held"))
            try await fleet.pass(2)
            try await Self.remove(here, fleet)
            // That replica knows nothing of it yet.
            try there.log(.custom("void"))
            try await fleet.pass(3)
            #expect(await code { try there.log(.custom("late")) } == .closed)
            #expect(await code { try await there.refresh() } == .closed)
            #expect(await code { try await there.login([.customerID: "c-2"]) } == .closed)
            #expect(fleet.engine.database.rows.isEmpty)
            try await fleet.upload()
            #expect(fleet.count("custom_event") == 0)
            #expect(fleet[1].runtime.statistics.eventsDropped == [.installationGone: 2])
            #expect(fleet[1].runtime.statistics.eventsWaiting == 0)
        }
    }

    @Test func anOpenElsewhereMakesANewInstallation() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = try await Self.visit(fleet)
            try there.log(.custom("old"))
            try await fleet.pass(2)
            let (stamp, number) = (there.deviceApplicationStamp, there.core.identityState.number)
            try await Self.remove(here, fleet)
            let next = try await fleet[1].open()
            #expect(next.deviceApplicationStamp != stamp)
            #expect(next.currentUser == nil)
            #expect(await code { try there.log(.custom("late")) } == .closed)
            try next.log(.custom("new"))
            #expect(next.core.identityState.number != number)
            try await next.login([.customerID: "c-2"])
            try await fleet.upload()
            #expect(fleet.events.filter { $0.type == "custom_event" }.map(\.name) == ["new"])
            #expect(fleet[1].runtime.statistics.eventsDropped == [.installationGone: 1])
        }
    }

    @Test(arguments: ["refresh", "consent", "login", "endSession"])
    func eachCallElsewhereFindsIt(call: String) async throws {
        try await TestFleet().run { fleet in
            let (here, there) = try await Self.visit(fleet)
            try await Self.remove(here, fleet)
            let outcome = await code { () async throws(SignetError) in
                switch call {
                case "refresh": try await there.refresh()
                case "consent": try await there.setConsent(ConsentState(gdpr: ["ads": Consent(true)]))
                case "login": try await there.login([.customerID: "c-2"])
                default: try await there.endSession()
                }
            }
            #expect(outcome == .closed)
            #expect(fleet.engine.database.rows.isEmpty, "nothing makes the row again")
            #expect(await code { try there.log(.custom("late")) } == .closed)
        }
    }

    @Test func eventsWithoutAUserAreNotGivenToTheNextOne() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try here.log(.custom("old"))
            try await fleet.pass(2)
            try await Self.remove(here, fleet)
            let next = try await fleet[0].open()
            try await next.login([.customerID: "c-1"])
            try await fleet.upload()
            #expect(fleet.count("custom_event") == 0)
            // With the begin and the end of their session.
            await until("they are dropped") {
                fleet[0].runtime.statistics.eventsDropped == [.installationGone: 3]
            }
        }
    }

    @Test func twoReplicasMayRemoveItAtOnce() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = try await Self.visit(fleet)
            async let first: Void = Self.remove(here, fleet)
            async let second: Void = Self.remove(there, fleet)
            _ = try await (first, second)
            #expect(fleet.engine.database.rows.isEmpty)
            for handle in [here, there] { #expect(await code { try handle.log(.custom("late")) } == .closed) }
        }
    }

    // MARK: - What stands in the way

    @Test func whileTheStoreIsAwayItStaysAndWorks() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await fleet.pass(2)
            fleet[0].store.faults.injectAlways(.unreachable, on: .remove)
            #expect(try await Self.removing(here, fleet) == .storeUnreachable)
            fleet[0].store.faults.injectAlways(.unreachable)
            #expect(try await Self.removing(here, fleet) == .storeUnreachable)
            fleet[0].store.faults.clear()
            try here.log(.custom("seen"))
            #expect(try fleet.row().id == "visitor")
            try await Self.remove(here, fleet)
            #expect(fleet.count("custom_event") == 1)
            #expect(fleet[0].runtime.statistics.installationsRemoved == 1)
        }
    }

    @Test func aLostAnswerIsFoundOut() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            fleet[0].store.faults.inject(.replyLost, on: .remove)
            try await Self.remove(here, fleet)
            #expect(fleet.engine.database.rows.isEmpty)
            #expect(await code { try here.log(.custom("late")) } == .closed)
        }
    }

    @Test func inAPauseItStaysAndSaysForHowLong() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try here.log(.custom("seen"))
            fleet.platform.faults.injectAlways(.status(503, retryAfter: .seconds(120)), on: .events)
            try await fleet.pass(2)
            let error = try await Self.error(of: here, fleet)
            #expect(error?.code == .uploadPaused)
            #expect((error?.retryAfter).map { $0 > .seconds(60) } == true)
            #expect(try fleet.row().session == nil)
            fleet.platform.faults.clear()
            try here.log(.custom("later"))
            #expect(here.currentUser != nil)
            #expect(fleet[0].runtime.statistics.installationsRemoved == 0)
        }
    }

    @Test func withoutAnAnswerToItsEventsItStays() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try here.log(.custom("seen"))
            let gate = EmulatorGate()
            fleet.platform.faults.injectAlways(.held(gate), on: .events)
            try await fleet.pass(2)
            let error = try await Self.error(of: here, fleet, within: .seconds(3))
            #expect(error?.code == .timedOut)
            #expect((error?.eventsLeft).map { $0 > 0 } == true)
            #expect(try fleet.row().session == nil)
            fleet.platform.faults.clear()
            gate.open()
            try here.log(.custom("later"))
            #expect(here.currentUser != nil)
        }
    }

    @Test func aCancelledRemovalMayBeRepeated() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await fleet.upload()
            let gate = EmulatorGate()
            fleet[0].store.faults.inject(.requestHeld(gate), on: .remove)
            let outcome = try await withThrowingTaskGroup(of: SignetError.Code?.self) { group in
                group.addTask { try await Self.removing(here, fleet) }
                await gate.arrived()
                group.cancelAll()
                return try await group.next() ?? nil
            }
            #expect(outcome == .cancelled)
            #expect(try fleet.row().id == "visitor")
            try await Self.remove(here, fleet)
            #expect(fleet.engine.database.rows.isEmpty)
        }
    }

    @Test func withoutRunItsEventsStay() async throws {
        let fleet = try TestFleet()
        try await fleet[1].signet.run { _ in
            try await fleet[1].open().login([.customerID: "c-1"])
            let here = try await fleet[0].open()
            try here.log(.custom("seen"))
            #expect(try await Self.removing(here, fleet, within: .seconds(3)) == .notRunning)
            #expect(fleet.engine.database.rows.count == 1)
        }
    }

    // MARK: - Counting

    @Test func aRowThatAnotherReplicaHasRemovedCountsThere() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = try await Self.visit(fleet)
            try await Self.remove(here, fleet)
            try await Self.remove(there, fleet)
            #expect(fleet.replicas.map { $0.runtime.statistics.installationsRemoved } == [1, 0])
        }
    }

    @Test func twoCallsOfAProcessCountOnce() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            let again = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            let removals = try [here, again].map { try Self.removal(of: $0, within: .seconds(60)) }
            // One of them moves the clock: two would outrun the store.
            let codes = try await fleet.passing {
                async let first = Self.error(of: removals[0])
                async let second = Self.error(of: removals[1])
                return await [first?.code, second?.code]
            }
            #expect(codes.contains(nil))
            #expect(codes.allSatisfy { $0 == nil || $0 == .closed })
            #expect(fleet[0].runtime.statistics.installationsRemoved == 1)
        }
    }

    @Test func anOpenBeforeTheAnswerChangesNothingOfIt() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            let stamp = here.deviceApplicationStamp
            let changes = here.userChanges()
            let gate = EmulatorGate()
            fleet[0].store.faults.inject(.replyHeld(gate), on: .remove)
            async let removal = Self.removing(here, fleet)
            await gate.arrived()
            // The row is gone: this replaces the object.
            let next = try await fleet[0].open()
            #expect(next.deviceApplicationStamp != stamp)
            gate.open()
            #expect(try await removal == nil)
            var updates = changes.makeAsyncIterator()
            let change = await updates.next()
            #expect(change?.previous?.mpid == mpid)
            #expect(change?.current == nil)
            #expect(fleet[0].runtime.statistics.installationsRemoved == 1)
            #expect(next.core.phase == .open)
        }
    }

    // MARK: - Rows that are not made again

    @Test func aStoreThatWasMadeForARowMakesNone() async throws {
        try await TestFleet(1).run { fleet in
            let runtime = fleet[0].runtime
            let stores = SharedStores(
                fleet: try #require(runtime.context.fleet),
                context: runtime.context,
                managers: runtime.managers,
                registry: runtime.registry,
                unflushed: UnflushedStores()
            )
            let store = stores.store(of: "nobody")
            #expect(await code { try await store.setLook(1) } == .closed)
            #expect(await code { _ = try await store.logOutbox(before: .max) } == nil)
            #expect(fleet.engine.database.rows.isEmpty)
        }
    }

    // MARK: - Support

    /// A visitor with a user whom both replicas know.
    private static func visit(_ fleet: TestFleet) async throws -> (Installation, Installation) {
        let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
        try await here.login([.customerID: "c-1"])
        try await there.refresh()
        return (here, there)
    }

    private static func remove(_ handle: Installation, _ fleet: TestFleet) async throws {
        #expect(try await Self.removing(handle, fleet) == nil)
    }

    /// - Returns: The code of the error; nil if it was removed.
    private static func removing(
        _ handle: Installation,
        _ fleet: TestFleet,
        within limit: Duration = .seconds(60)
    ) async throws -> SignetError.Code? {
        try await Self.error(of: handle, fleet, within: limit)?.code
    }

    /// - Returns: The error; nil if it was removed.
    private static func error(
        of handle: Installation,
        _ fleet: TestFleet,
        within limit: Duration = .seconds(60)
    ) async throws -> SignetError? {
        let removal = try Self.removal(of: handle, within: limit)
        return try await fleet.passing { await Self.error(of: removal) }
    }

    private static func removal(of handle: Installation, within limit: Duration) throws -> SharedRemoval {
        let core = handle.core
        let store = try #require(core.store.shared)
        return SharedRemoval(of: core, in: store, until: core.context.time.uptime + limit)
    }

    private static func error(of removal: SharedRemoval) async -> SignetError? {
        do throws(SignetError) {
            try await removal.remove()
            return nil
        } catch {
            return error
        }
    }
}
