// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// An opt-out ends what the installation has begun, on all replicas; the opt-in begins anew.
@Suite(.watched) struct FleetOptOutSessionTests {
    @Test func theSessionEndsForAllAndTheOptInBeginsAnew() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            try here.log(.custom("before"))
            var changes = here.sessionChanges().makeAsyncIterator()
            try await fleet.upload()
            let moment = Self.moment(fleet)
            try await here.setOptedOut(true)
            #expect(await changes.nextFact()?.endReason == .optedOut)
            _ = Self.moment(fleet)
            try await there.refresh()
            #expect(here.currentSession == nil && there.currentSession == nil)
            try await there.setOptedOut(false)
            _ = Self.moment(fleet)
            try there.log(.custom("after"))
            let second = try #require(there.currentSession).uuid.uuidString
            try await fleet.pass(3)
            try await fleet.upload()
            let events = fleet.events.filter { $0.timestamp >= moment }
            #expect(events.map(\.type).sorted() == ["custom_event", "opt_out", "opt_out", "session_start"])
            // What a session tells of the one before begins anew, too.
            try await fleet.pass(80)
            try there.log(.custom("later"))
            try await fleet.pass(3)
            try await fleet.upload()
            let starts = fleet.events.filter { $0.type == "session_start" && $0.timestamp >= moment }
            let previous = starts.map { $0.customAttributes["$PreviousSessionUUID"]?.lowercased() }
            #expect(previous == [nil, second.lowercased()])
        }
    }

    /// It was away for both choices, and has begun a session before them.
    @Test func aSessionThatAReplicaTellsOfLateDoesNotBeginAfterTheOptIn() async throws {
        try await TestFleet { $0.sessions.beginsAtOpen = false }.run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            fleet[1].store.faults.injectAlways(.unreachable)
            try there.log(.custom("before"))
            let old = try #require(there.currentSession).uuid.uuidString
            _ = Self.moment(fleet)
            try await here.setOptedOut(true)
            _ = Self.moment(fleet)
            try await here.setOptedOut(false)
            _ = Self.moment(fleet)
            fleet[1].store.faults.clear()
            try await fleet.pass(5)
            #expect(try fleet.row().session == nil)
            try await there.refresh()
            #expect(there.currentSession == nil)
            try there.log(.custom("after"))
            try await fleet.pass(3)
            try await fleet.upload()
            #expect(fleet.events.compactMap(\.name) == ["after"])
            #expect(fleet.count("session_start") == 1)
            #expect(!fleet.events.contains { $0.sessionUUID?.lowercased() == old.lowercased() })
        }
    }

    @Test func whatAnotherReplicaKeepsInMemoryAndOnItsDiskDoesNotGoAfterTheOptIn() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            try there.leaveBreadcrumb("of before")
            try there.beginTimedEvent(.custom("checkout"))
            _ = Self.moment(fleet)
            try await here.setOptedOut(true)
            _ = Self.moment(fleet)
            try await here.setOptedOut(false)
            _ = Self.moment(fleet)
            try await there.refresh()
            #expect(there.timedEventNames.isEmpty)
            try there.leaveBreadcrumb("of afterwards")
            try there.log(.crash(CrashReport(message: "boom")))
            try await fleet.upload()
            let crash = try #require(fleet.events.first { $0.type == "crash_report" })
            let labels = crash.data["breadcrumbs"]?.array?.compactMap { $0["data"]?["label"]?.string }
            #expect(labels == ["of afterwards"])
        }
    }

    /// Lets a moment pass, so that the clock tells what was before from what was after.
    private static func moment(_ fleet: TestFleet) -> Int64 {
        fleet.clock.advance(by: .milliseconds(10))
        return fleet.engine.milliseconds
    }
}
