// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// The first moment of a visitor where an open begins no session: it makes the row, so that all replicas agree on its stamp.
@Suite(.watched) struct FleetFirstMomentTests {
    private static func lazy(
        _ count: Int = 2,
        _ configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> TestFleet {
        try TestFleet(count) {
            $0.sessions.beginsAtOpen = false
            configure(&$0)
        }
    }

    @Test func anOpenMakesTheRowWithoutASession() async throws {
        try await Self.lazy().run { fleet in
            var tags: [UUID] = []
            for replica in fleet.replicas {
                let visitor = try await replica.open()
                #expect(visitor.currentSession == nil)
                tags.append(try fleet.row().tag)
                try await visitor.refresh()
            }
            try await fleet.pass(3)
            #expect(fleet.engine.database.rows.count == 1)
            #expect(try fleet.row().session == nil)
            // The second one found all as it must be.
            #expect(tags == [try fleet.row().tag, try fleet.row().tag])
            for replica in fleet.replicas {
                #expect(replica.runtime.statistics.eventsAccepted == 0)
                #expect(replica.runtime.context.numbers.knownCount == 0)
            }
        }
    }

    @Test func theFirstEventBeginsTheSessionAtItsTime() async throws {
        try await Self.lazy().run { fleet in
            let here = try await fleet[0].open()
            fleet.clock.advance(by: .milliseconds(300))
            try here.log(.custom("first"))
            let session = try #require(here.currentSession)
            try await fleet.pass(2)
            let row = try fleet.row()
            #expect(row.session?.id == session.uuid)
            #expect(row.session?.events == 1)
            #expect(here.currentSession == session)
            #expect(try await fleet[1].open().currentSession == session)
            try await here.login([.customerID: "c-1"])
            try await fleet.pass(80)
            try await fleet.upload()
            #expect(fleet.count("session_start") == 1)
            #expect(fleet.count("session_end") == 1)
            let first = try #require(fleet.events.first { $0.name == "first" })
            #expect(first.sessionUUID?.uppercased() == session.uuid.uuidString)
            #expect(first.timestamp == row.session?.started)
        }
    }

    @Test func aSettingBeginsNoSession() async throws {
        try await Self.lazy().run { fleet in
            let here = try await fleet[0].open()
            try await here.setConsent(ConsentState(gdpr: ["ads": Consent(true)]))
            #expect(try fleet.row().session == nil)
            let stamp = here.deviceApplicationStamp
            #expect(try await fleet[1].open().deviceApplicationStamp == stamp)
            try here.log(.custom("first"))
            let session = try #require(here.currentSession)
            try await fleet.pass(2)
            #expect(try fleet.row().session?.id == session.uuid)
            #expect(here.deviceApplicationStamp == stamp)
        }
    }

    @Test func anIdentityCallBeginsNoSession() async throws {
        try await Self.lazy().run { fleet in
            let here = try await fleet[0].open()
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            #expect(try fleet.row().session == nil)
            #expect(try await fleet[1].open().currentUser?.mpid == mpid)
        }
    }

    @Test func theDefaultConsentIsThatOfTheFirstUser() async throws {
        let consent = ConsentState(gdpr: ["ads": Consent(true)])
        try await Self.lazy { $0.defaultConsent = consent }.run { fleet in
            let here = try await fleet[0].open()
            let made = try SharedState(decoding: try fleet.row().state)
            #expect(made.identity.directory.anonymousConsent?.gdpr["ads"]?.isGiven == true)
            try await here.login([.customerID: "c-1"])
            let state = try SharedState(decoding: try fleet.row().state)
            let mpid = try #require(state.identity.directory.current)
            #expect(state.identity.directory.entries[mpid]?.consent?.gdpr["ads"]?.isGiven == true)
        }
    }

    @Test func aCallRightAfterTheFirstEventFindsItsSession() async throws {
        try await Self.lazy(1).run { fleet in
            let here = try await fleet[0].open()
            try here.log(.custom("first"))
            let session = try #require(here.currentSession)
            try await here.setSessionAttribute(.string("shop"), for: "place")
            #expect(try fleet.row().session?.id == session.uuid)
            try await here.endSession()
            #expect(here.currentSession == nil)
            try here.log(.custom("second"))
            #expect(here.currentSession != session)
            try await here.login([.customerID: "c-1"])
            try await fleet.pass(80)
            try await fleet.upload()
            #expect(fleet.count("session_start") == 2)
            #expect(fleet.count("session_end") == 2)
            #expect(Set(fleet.events.compactMap(\.sessionUUID)).count == 2)
        }
    }

    @Test func aSessionMayBeginAndEndBeforeItIsTold() async throws {
        try await Self.lazy(1).run { fleet in
            let here = try await fleet[0].open()
            try here.log(.custom("first"))
            let session = try #require(here.currentSession)
            try await here.endSession()
            #expect(try fleet.row().session == nil)
            try here.log(.custom("second"))
            #expect(here.currentSession != nil)
            #expect(here.currentSession != session)
            try await here.login([.customerID: "c-1"])
            try await fleet.pass(80)
            try await fleet.upload()
            #expect(fleet.count("session_start") == 2)
            #expect(fleet.count("session_end") == 2)
            #expect(fleet[0].runtime.statistics.eventsAfterSessionEnd == 0)
        }
    }

    /// One of the two makes the row; the other one's own stamp must not show in any event.
    @Test func ofTwoReplicasWithFirstEventsNoneLosesAny() async throws {
        try await Self.lazy().run { fleet in
            let gate = EmulatorGate()
            // Both find no row, then make one.
            fleet[0].store.faults.inject(.requestHeld(gate), on: .commit)
            async let first = fleet[0].open()
            await gate.arrived()
            let there = try await fleet[1].open()
            gate.open()
            let here = try await first
            #expect(here.deviceApplicationStamp == there.deviceApplicationStamp)
            try here.log(.custom("here"))
            try there.log(.custom("there"))
            try await fleet.pass(4)
            #expect(fleet.engine.database.rows.count == 1)
            #expect(try fleet.row().session?.events == 2)
            try await here.login([.customerID: "c-1"])
            try await fleet.pass(80)
            try await until("nothing waits") {
                try await fleet.upload()
                return fleet.replicas.allSatisfy { $0.runtime.statistics.eventsWaiting == 0 }
            }
            let names = fleet.events.filter { $0.type == "custom_event" }.map(\.name)
            #expect(Set(names) == ["here", "there"])
            #expect(names.count == 2)
            #expect(fleet.count("session_start") == 1)
            #expect(fleet.count("session_end") == 1)
            let sessions = Set(fleet.events.compactMap(\.sessionUUID))
            #expect(sessions.count == 1)
            #expect(Set(fleet.events.filter { $0.type == "session_start" }.compactMap(\.sessionUUID)) == sessions)
            for replica in fleet.replicas {
                #expect(replica.runtime.statistics.eventsDropped.isEmpty)
                #expect(replica.runtime.statistics.eventsAfterSessionEnd == 0)
            }
        }
    }

    /// Without the row each would take a stamp of its own for the row's.
    @Test func opensWithoutTheStoreAgreeOnceItIsBack() async throws {
        let fleet = try TestFleet(whenUnreachable: .logOnly) { $0.sessions.beginsAtOpen = false }
        try await fleet.run { fleet in
            for replica in fleet.replicas { replica.store.faults.injectAlways(.unreachable) }
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try here.log(.custom("alone"))
            try there.log(.custom("alone"))
            for replica in fleet.replicas { replica.store.faults.clear() }
            try await fleet.pass(3)
            // Who has events reads the row again, and makes it.
            #expect(fleet.engine.database.rows.count == 1)
            try here.log(.custom("here"))
            try there.log(.custom("there"))
            try await fleet.pass(4)
            #expect(fleet.engine.database.rows.count == 1)
            #expect(here.deviceApplicationStamp == there.deviceApplicationStamp)
            try await here.login([.customerID: "c-1"])
            try await fleet.pass(80)
            try await until("nothing waits") {
                try await fleet.upload()
                return fleet.replicas.allSatisfy { $0.runtime.statistics.eventsWaiting == 0 }
            }
            #expect(fleet.count("custom_event") == 4)
            let starts = Set(fleet.events.filter { $0.type == "session_start" }.compactMap(\.sessionUUID))
            #expect(Set(fleet.events.compactMap(\.sessionUUID)) == starts, "A session has no start.")
        }
    }

    @Test func aShutdownTellsOfTheFirstEvent() async throws {
        try await Self.lazy().run { fleet in
            let here = try await fleet[0].open()
            try here.log(.custom("first"))
            let session = try #require(here.currentSession)
            let runtime = fleet[0].runtime
            _ = try await fleet.passing { await runtime.shutdown(within: .seconds(10)) }
            #expect(try fleet.row().session?.id == session.uuid)
        }
    }

    @Test func aRowThatWasRemovedIsNotMadeByAnEvent() async throws {
        try await Self.lazy().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            try await fleet.pass(2)
            let row = try fleet.row()
            #expect(try await fleet[0].store.remove(row.key, tag: row.tag).value)
            try there.log(.custom("void"))
            try await fleet.pass(3)
            #expect(fleet.engine.database.rows.isEmpty)
            #expect(await code { () throws(SignetError) in try there.log(.custom("late")) } == .closed)
            let next = try await fleet[1].open()
            #expect(next.deviceApplicationStamp != there.deviceApplicationStamp)
            #expect(fleet.engine.database.rows.count == 1, "an open makes one")
        }
    }
}
