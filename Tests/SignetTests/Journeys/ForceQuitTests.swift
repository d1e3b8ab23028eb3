// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// What becomes of a session whose process is killed (facts of the vendors' SDKs: force quit).
@Suite struct ForceQuitTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock(startingAtMilliseconds: 1_700_000_000_000)
    private let platform: Emulator

    init() throws {
        self.folder = try TemporaryFolder()
        let clock = self.clock
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
    }

    /// A process that finds what another one left behind.
    private struct Relaunch {
        let folder: TemporaryFolder
        let signet: EmulatedSignet
        var runtime: SignetRuntime { self.signet.runtime }
    }

    /// Runs a process and goes on with a copy of its files, as a kill would leave them: it cannot be killed in a test.
    private func killed(
        in folder: TemporaryFolder? = nil,
        _ body: (EmulatedSignet) async throws -> Void
    ) async throws -> Relaunch {
        let folder = folder ?? self.folder
        let signet = try EmulatedSignet(in: folder.path, platform: self.platform, clock: self.clock)
        let copy = try await signet.run { signet in
            try await body(signet)
            return try TemporaryFolder(copying: folder)
        }
        return Relaunch(
            folder: copy,
            signet: try EmulatedSignet(in: copy.path, platform: self.platform, clock: self.clock)
        )
    }

    /// The visitor returns too late for their session.
    private func passTheTimeout() {
        self.clock.advance(by: .seconds(5000))
    }

    private func check(_ change: SessionChange?, _ session: Session?, events: Int, length: Duration) {
        #expect(change?.session == session)
        #expect(change?.endReason == .timeout)
        guard case .ended(let summary) = change?.kind else { return #expect(Bool(false), "It has not ended.") }
        #expect(summary.eventCount == events)
        #expect(summary.length == length)
    }

    @Test func whatOnlyTheJournalKnowsIsCounted() async throws {
        var session: Session?
        let next = try await self.killed { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            session = visitor.currentSession
            for _ in 0..<7 {
                self.clock.advance(by: .milliseconds(1500))
                try visitor.log(.custom("x"))
            }
        }
        var changes = next.runtime.sessionChanges().makeAsyncIterator()
        self.passTheTimeout()
        let visitor = try await next.runtime.open("v", identify: .none)
        self.check(await changes.nextFact(), session, events: 7, length: .milliseconds(10_500))
        let begun = await changes.nextFact()
        #expect(begun?.kind == .began)
        #expect(begun?.session == visitor.currentSession)
        await next.runtime.shutdown()
        #expect(await changes.nextFact() == nil)
    }

    @Test func afterEverythingWasDeliveredTheEndIsExact() async throws {
        var session: Session?
        var mpid: MPID?
        let next = try await self.killed { signet in
            let visitor = try await signet.runtime.open("v")
            mpid = try await visitor.initialIdentifyResult().user.mpid
            session = visitor.currentSession
            for _ in 0..<7 {
                self.clock.advance(by: .milliseconds(1500))
                try visitor.log(.custom("x"))
            }
            try await signet.runtime.upload()
            #expect(signet.runtime.statistics.eventsWaiting == 0)
        }
        self.passTheTimeout()
        try await next.signet.run { signet in
            var changes = signet.runtime.sessionChanges().makeAsyncIterator()
            _ = try await signet.runtime.open("v", identify: .none)
            self.check(await changes.nextFact(), session, events: 7, length: .milliseconds(10_500))
            try await signet.runtime.upload()
        }
        let events = self.platform.events(of: try #require(mpid))
        let end = try #require(events.first { $0.type == "session_end" })
        #expect(end.sessionID == session?.id)
        #expect(end.timestamp == 1_700_000_010_500)
        #expect(end.data["session_duration_ms"]?.number?.int64 == 10_500)
        #expect(end.data["custom_attributes"]?["$EventCount"]?.string == "7")
        #expect(end.data["custom_attributes"]?["$SessionMPIDs"]?.string == mpid.map { "\($0.rawValue)" })
        let begin = try #require(events.last { $0.type == "session_start" })
        let attributes = begin.data["custom_attributes"]
        #expect(attributes?["$PreviousSessionUUID"]?.string == session?.uuid.uuidString)
        #expect(attributes?["$PreviousSessionStartMs"]?.string == "1700000000000")
        #expect(attributes?["$PreviousSessionLengthMs"]?.string == "10500")
        #expect(events.count { $0.type == "session_end" } == 1)
    }

    @Test func partOfItDeliveredPartOfItWaitingIsCountedOnce() async throws {
        var session: Session?
        let next = try await self.killed { signet in
            let visitor = try await signet.runtime.open("v")
            _ = try await visitor.initialIdentifyResult()
            session = visitor.currentSession
            for _ in 0..<3 { try visitor.log(.custom("x")) }
            try await signet.runtime.upload()
            self.clock.advance(by: .seconds(2))
            for _ in 0..<4 { try visitor.log(.custom("y")) }
        }
        var changes = next.runtime.sessionChanges().makeAsyncIterator()
        self.passTheTimeout()
        _ = try await next.runtime.open("v", identify: .none)
        self.check(await changes.nextFact(), session, events: 7, length: .seconds(2))
        await next.runtime.shutdown()
    }

    @Test func eventsThatAreDeliveredBeforeTheInstallationIsOpenedAreCounted() async throws {
        var session: Session?
        let left = try await self.killed { signet in
            let visitor = try await signet.runtime.open("v")
            _ = try await visitor.initialIdentifyResult()
            session = visitor.currentSession
            self.clock.advance(by: .seconds(3))
            for _ in 0..<5 { try visitor.log(.custom("x")) }
        }
        await left.runtime.shutdown()
        // The second process delivers them, and is killed before the visitor comes back.
        let last = try await self.killed(in: left.folder) { signet in
            try await signet.runtime.upload()
            #expect(signet.runtime.statistics.eventsWaiting == 0)
        }
        var changes = last.runtime.sessionChanges().makeAsyncIterator()
        self.passTheTimeout()
        _ = try await last.runtime.open("v", identify: .none)
        self.check(await changes.nextFact(), session, events: 5, length: .seconds(3))
        await last.runtime.shutdown()
    }

    @Test func whatTheAppSaidOfItAndWhoWasThereSurvive() async throws {
        let next = try await self.killed { signet in
            let visitor = try await signet.runtime.open("v")
            _ = try await visitor.initialIdentifyResult()
            try await visitor.setSessionAttribute(.string("a"), for: "Level")
            #expect(try await visitor.incrementSessionAttribute("count", by: 2) == .integer(2))
            #expect(try await visitor.incrementSessionAttribute("COUNT", by: 3) == .integer(5))
            _ = try await visitor.login([.customerID: "c"])
            _ = try await visitor.login([.customerID: "d"])
        }
        var changes = next.runtime.sessionChanges().makeAsyncIterator()
        self.passTheTimeout()
        _ = try await next.runtime.open("v", identify: .none)
        guard case .ended(let summary) = await changes.nextFact()?.kind else { return #expect(Bool(false)) }
        #expect(summary.attributes == ["Level": .string("a"), "count": .integer(5)])
        #expect(summary.mpids.count == 2)
        await next.runtime.shutdown()
    }

    @Test func aSessionThatHadEndedIsNotEndedAgain() async throws {
        let next = try await self.killed { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try await visitor.endSession()
        }
        var changes = next.runtime.sessionChanges().makeAsyncIterator()
        self.passTheTimeout()
        _ = try await next.runtime.open("v", identify: .none)
        #expect(await changes.nextFact()?.kind == .began)
        await next.runtime.shutdown()
        #expect(await changes.nextFact() == nil)
    }
}
