// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// With `.logOnly` an open does not fail because the store does not carry out its change, or refuses: nothing is lost, nothing is double.
@Suite(.watched) struct FleetOpenWithoutCommitsTests {
    private static let outages: [SharedStoreError.Code] = [
        .unreachable, .busy, .outcomeUnknown, .failed, .notPermitted, .schemaMissing, .secureConnectionFailed,
    ]

    private static func refused(_ code: SharedStoreError.Code) -> MemoryStoreFaults.Fault {
        .refused(SharedStoreError(code, "It is so."))
    }

    @Test(arguments: outages) func anOpenOfANewVisitorLogs(code: SharedStoreError.Code) async throws {
        try await TestFleet(1, whenUnreachable: .logOnly).run { fleet in
            fleet[0].store.faults.injectAlways(Self.refused(code), on: .commit)
            let here = try await fleet.passing { try await fleet[0].open() }
            try here.log(.custom("meanwhile"))
            #expect(fleet.engine.database.rows.isEmpty)
            fleet[0].store.faults.clear()
            let again = try await fleet[0].open()
            try await again.login([.customerID: "c-1"])
            try again.log(.custom("after"))
            try await fleet.pass(3)
            try await fleet.upload()
            #expect(fleet.events.filter { $0.type == "custom_event" }.map(\.name) == ["meanwhile", "after"])
            #expect(fleet.count("session_start") == 1)
            #expect(fleet.platform.users().count == 1)
            #expect(fleet[0].runtime.statistics.eventsLost == 0)
        }
    }

    /// The commit happens and its answer is lost: the next open finds the session that it has begun.
    @Test(arguments: outages) func anOpenAfterTheEndOfASessionLogsIntoOneSession(
        code: SharedStoreError.Code
    ) async throws {
        try await TestFleet(1, whenUnreachable: .logOnly).run { fleet in
            let first = try await fleet[0].open()
            try await first.login([.customerID: "c-1"])
            try first.log(.custom("first"))
            try await fleet.pass(3)
            // Nobody ends it: the open has to.
            fleet[0].store.faults.injectAlways(.unreachable, on: .claimDue)
            try await fleet.pass(75)
            let fault = code == .outcomeUnknown ? MemoryStoreFaults.Fault.replyLost : Self.refused(code)
            fleet[0].store.faults.injectAlways(fault, on: .commit)
            let here = try await fleet.passing { try await fleet[0].open() }
            #expect(here.currentUser?.identities[.customerID]?.value == "c-1")
            try here.log(.custom("second"))
            fleet[0].store.faults.clear()
            try await fleet.pass(5)
            try await fleet[0].open().log(.custom("third"))
            try await fleet.pass(80)
            try await fleet.upload()
            let events = fleet.events.filter { $0.type == "custom_event" }
            #expect(events.map(\.name) == ["first", "second", "third"])
            #expect(Set(events.compactMap(\.sessionUUID)).count == 2)
            #expect(events[1].sessionUUID == events[2].sessionUUID, "one session")
            #expect(fleet.count("session_start") == 2)
            #expect(fleet.count("session_end") == 2)
        }
    }

    @Test func aReadingThatTheStoreRefusesIsAnOutageToo() async throws {
        try await TestFleet(1, whenUnreachable: .logOnly).run { fleet in
            try await fleet[0].open().login([.customerID: "c-1"])
            try await fleet.pass(2)
            fleet[0].store.faults.injectAlways(Self.refused(.failed))
            let here = try await fleet.passing { try await fleet[0].open("other") }
            try here.log(.custom("meanwhile"))
            fleet[0].store.faults.clear()
            try await fleet.pass(3)
            try await fleet[0].open("other").login([.customerID: "c-2"])
            try await fleet.pass(3)
            try await fleet.upload()
            #expect(fleet.count("custom_event") == 1)
        }
    }

    @Test(arguments: outages) func withoutLogOnlyTheOpenFails(code: SharedStoreError.Code) async throws {
        try await TestFleet(1).run { fleet in
            fleet[0].store.faults.injectAlways(Self.refused(code), on: .commit)
            let error = try await fleet.passing {
                await failure { () async throws(SignetError) in _ = try await fleet[0].runtime.open("visitor") }
            }
            #expect(error != nil)
        }
    }

    /// It was never usable, and no waiting helps.
    @Test(arguments: [
        (SharedStoreError.Code.workspaceMismatch, SignetError.Code.workspaceMismatch), (.newerFormat, .newerFormat),
        (.olderFormat, .storeFailed),
    ])
    func aStoreOfAnotherWorkspaceOrFormatFailsTheOpen(
        code: SharedStoreError.Code,
        expected: SignetError.Code
    ) async throws {
        try await TestFleet(1, whenUnreachable: .logOnly).run { fleet in
            fleet[0].store.faults.injectAlways(Self.refused(code), on: .prepare)
            #expect(await SignetRuntimeTestSupport.code { _ = try await fleet[0].open() } == expected)
        }
    }

    // MARK: - Joining

    /// As with a role that may read the rows, and not write the table of replicas.
    @Test func aStoreThatCannotBeJoinedIsReported() async throws {
        try await TestFleet(1, whenUnreachable: .logOnly).run { fleet in
            fleet[0].store.faults.injectAlways(Self.refused(.notPermitted), on: .join)
            try await fleet[0].open().log(.custom("meanwhile"))
            for _ in 0..<20 {
                fleet.clock.advance(by: .seconds(1))
                for _ in 0..<100 { await Task.yield() }
            }
            let health = fleet[0].runtime.health
            #expect(health.reasons.contains { $0.name == "store_unreachable" }, "\(health)")
            fleet[0].store.faults.clear()
            try await fleet.pass(3)
            try await fleet[0].open().login([.customerID: "c-1"])
            try await fleet.pass(3)
            try await fleet.upload()
            #expect(fleet.count("custom_event") == 1)
            let healed = fleet[0].runtime.health
            #expect(!healed.reasons.contains { $0.name == "store_unreachable" }, "\(healed)")
        }
    }

    /// The tables were dropped and made again: the call that finds it out is carried out.
    @Test func tablesThatWereMadeAnewAreBoundAndJoinedBeforeTheCall() async throws {
        try await TestFleet(1).run { fleet in
            try await fleet[0].open().login([.customerID: "c-1"])
            try await fleet.pass(3)
            let store = fleet[0].store
            #expect(store.count(of: .prepare) == 1 && store.count(of: .join) == 1)
            store.faults.inject(Self.refused(.schemaMissing), on: .read)
            _ = try await fleet[0].open("other")
            #expect(store.count(of: .prepare) == 2 && store.count(of: .join) == 2)
        }
    }

    @Test func tablesThatDoNotKnowTheReplicaAnyMoreAreJoinedAgain() async throws {
        try await TestFleet(1).run { fleet in
            try await fleet[0].open().login([.customerID: "c-1"])
            try await fleet.pass(3)
            let store = fleet[0].store
            fleet.clock.advance(by: .milliseconds(10))
            try await MemorySharedStore(fleet.engine).forgetEnded(days: 0)
            #expect(fleet.engine.database.replicas.isEmpty)
            try await fleet.pass(4)
            #expect(store.count(of: .prepare) == 2 && store.count(of: .join) == 2)
        }
    }
}
