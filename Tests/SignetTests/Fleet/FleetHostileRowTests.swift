// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

@testable import Signet

/// Rows that broken software has written, and rows of a newer version.
@Suite(.watched) struct FleetHostileRowTests {
    static let unreadable: [[UInt8]] = [[0xff, 0, 1], [31]]

    // MARK: - Unreadable

    @Test(arguments: Self.unreadable) func anUnreadableRowHoldsUpNoOtherInstallation(bytes: [UInt8]) async throws {
        let observer = RecordingObserver()
        try await TestFleet(1, observers: [observer]).run { fleet in
            var handles: [Installation] = []
            for id in ["a", "bad", "c"] as [InstallationID] {
                let handle = try await fleet[0].open(id)
                try await handle.login([.customerID: "c-\(id)"])
                handles.append(handle)
            }
            try await fleet.upload()
            let intact = try fleet.row("bad").state
            try await fleet.change("bad") { $0.state = bytes }
            for handle in handles { try handle.log(.custom("of \(handle.id)")) }
            #expect(await code { _ = try await fleet[0].runtime.upload() } == .uploadPaused)
            #expect(Self.names(of: fleet) == ["of a", "of c"])
            #expect(Self.postponed(observer) == [1])
            #expect(fleet[0].runtime.statistics.eventsDropped.isEmpty)
            try await fleet.change("bad") { $0.state = intact }
            try await fleet.upload()
            #expect(Self.names(of: fleet) == ["of a", "of bad", "of c"])
        }
    }

    /// The events that wait for a user are looked up together: one row must not stop the others.
    @Test(arguments: Self.unreadable) func norDoesItHoldUpEventsThatWaitForTheirUser(bytes: [UInt8]) async throws {
        let observer = RecordingObserver()
        let fleet = try TestFleet(whenUnreachable: .logOnly, observers: [observer])
        try await fleet.run { fleet in
            for id in ["a", "bad", "c"] as [InstallationID] {
                try await fleet[1].open(id).login([.customerID: "c-\(id)"])
            }
            try await fleet.upload()
            fleet[0].store.faults.injectAlways(.unreachable)
            for id in ["a", "bad", "c"] as [InstallationID] {
                try await fleet[0].open(id).log(.custom("of \(id)"))
            }
            let intact = try fleet.row("bad").state
            try await fleet.change("bad") { $0.state = bytes }
            fleet[0].store.faults.clear()
            let report = try await fleet[0].runtime.upload()
            #expect(report.eventsWithoutUser == 1)
            #expect(Self.names(of: fleet) == ["of a", "of c"])
            #expect(Self.postponed(observer) == [1])
            try await fleet.change("bad") { $0.state = intact }
            try await fleet.upload()
            #expect(Self.names(of: fleet) == ["of a", "of bad", "of c"])
        }
    }

    @Test func anUnreadableRowIsReadAgainByItself() async throws {
        let fleet = try TestFleet(1) { $0.events.uploadInterval = .seconds(10) }
        try await fleet.run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await fleet.upload()
            let intact = try fleet.row().state
            try await fleet.change { $0.state = [0xff] }
            try here.log(.custom("waits"))
            try await fleet.pass(20)
            try await fleet.change { $0.state = intact }
            try await fleet.pass(40)
            await until("its event") { fleet.count("custom_event") == 1 }
        }
    }

    @Test func aliasesOfAnUnreadableRowWaitAlone() throws {
        let user = try #require(MPID(rawValue: 7))
        var machine = AliasStateMachine()
        let records = (0..<2).map { number in
            AliasRecord(
                id: .random(),
                installation: InstallationID("v-\(number)"),
                deviceApplicationStamp: .random(),
                source: user,
                destination: user,
                start: 0,
                end: 1,
                lastEvent: 0
            )
        }
        for record in records { machine.add(record) }
        machine.postpone(records[0].id, until: .seconds(30))
        #expect(machine.next(now: .zero) == .consider([records[1]], until: .seconds(30)))
        #expect(machine.next(now: .seconds(30)) == .consider(records, until: nil))
    }

    private static func names(of fleet: TestFleet) -> [String] {
        fleet.events.filter { $0.type == "custom_event" }.compactMap(\.name).sorted()
    }

    /// The events that wait because a row is unreadable, as they were reported.
    private static func postponed(_ observer: RecordingObserver) -> [Int] {
        observer.notes.compactMap { note in
            if case .postponed(let events, _, let error) = note, error.code != .uploadPaused { events } else { nil }
        }
    }

    // MARK: - Numbers

    /// A trap would end the process, and with it all visitors of the replica.
    @Test(arguments: [Int64.min, -1, .max], [Int64.min, 0, .max])
    func noNumberInARowTraps(first: Int64, second: Int64) async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            var state = try SharedState(decoding: fleet.row().state)
            state.part.previous = PreviousSession(uuid: .random(), start: first, length: second)
            state.part.changes = [first, second].map { SharedPart.Change(milliseconds: $0, mpid: mpid) }
            var totals = SessionTotals(
                session: Session(uuid: .random(), startTime: Date(milliseconds: second)),
                lastMilliseconds: first
            )
            (totals.length, totals.events, totals.mpids) = (.milliseconds(max(0, second)), .max, [mpid])
            var outbox = SharedOutbox()
            for moment in [first, second] {
                outbox.add(SharedOutbox.End(totals: totals, mpid: mpid, milliseconds: moment))
            }
            try await fleet.change { commit in
                commit.state = state.encoded()
                commit.outbox = .set(outbox.encoded())
                let events = second > 0 ? Int.max : Int.min
                commit.session = .begin(.init(id: .random(), started: first, last: second, events: events))
                commit.look = .set(0)
            }
            // Whatever these do, the process goes on.
            _ = await code { try await here.refresh() }
            _ = await code { try here.log(.custom("here")) }
            let there = try await fleet[1].open()
            _ = await code { try there.log(.custom("there")) }
            try await fleet.pass(70)
            _ = await code { try await here.setAttribute("a", for: "b") }
            _ = await code { try await there.endSession() }
            _ = await code { try await fleet[0].runtime.upload() }
            let other = try await fleet[0].open("other")
            try await other.login([.customerID: "c-2"])
            try other.log(.custom("other"))
            try await fleet.upload()
            #expect(Self.names(of: fleet).contains("other"))
        }
    }
}
