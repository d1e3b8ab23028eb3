// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// What the vendors' SDKs got wrong about sessions, one test each.
@Suite struct KnownSessionDefectsTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func app(_ body: (EmulatedSignet, Installation) async throws -> Void) async throws {
        try await withEmulatedSignet(in: self.folder.path, configure: { $0.sessions.mode = .application }) { signet in
            try await body(signet, try await signet.runtime.open("app", identify: .none))
        }
    }

    /// Apple SDK 8.43.1 (#582): the timeout was looked at by several threads, and the session ended twice.
    @Test func aSessionThatManyThreadsFindTimedOutEndsOnce() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let first = visitor.currentSession
            var changes = visitor.sessionChanges().makeAsyncIterator()
            signet.clock.advance(by: .seconds(60))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { visitor.logIfPossible(.custom("x")) } }
            }
            let ended = await changes.nextFact()
            #expect(ended?.isEnd == true)
            #expect(ended?.session == first)
            let begun = await changes.nextFact()
            #expect(begun?.session == visitor.currentSession)
            #expect(visitor.sessionSummary?.eventCount == 8)
        }
    }

    /// Apple SDK 8.43.1 (#577), 8.44.2 (#667): the loop in the background read its time after it had expired.
    @Test func whoComesBackWhileTheTimeoutIsFoundHasOneSession() async throws {
        try await self.app { signet, app in
            for _ in 0..<50 {
                try app.enterBackground()
                signet.clock.advance(by: .seconds(60))
                // The manager may be ending the session right now.
                try app.enterForeground()
                #expect(app.currentSession != nil)
                #expect(app.sessionSummary?.length == .zero)
            }
        }
    }

    /// Apple SDK 8.27.1 (#290): sessions began again and again in the background.
    @Test func noSessionBeginsInTheBackgroundByItself() async throws {
        try await self.app { signet, app in
            var changes = app.sessionChanges().makeAsyncIterator()
            try app.enterBackground()
            await signet.clock.untilSomebodySleeps()
            signet.clock.advance(by: .seconds(60))
            #expect(await changes.nextFact()?.isEnd == true)
            for _ in 0..<5 { signet.clock.advance(by: .seconds(600)) }
            #expect(app.currentSession == nil)
            try app.log(.screen("seen by nobody"))
            #expect(app.currentSession == nil)
            try app.log(.custom("pushed"))
            #expect(await changes.nextFact()?.session == app.currentSession)
        }
    }

    /// Apple SDK 7.9.0, 7.12.0: the end was missing after a kill, and the system had not let the timer run.
    @Test func anEndThatNoTimerFoundIsFoundByTheClockAtForeground() async throws {
        // Nobody runs the runtime: as if the process had slept.
        let signet = try EmulatedSignet(in: self.folder.path) { $0.sessions.mode = .application }
        let app = try await signet.runtime.open("app", identify: .none)
        var changes = app.sessionChanges().makeAsyncIterator()
        let first = app.currentSession
        signet.clock.advance(by: .seconds(10))
        try app.enterBackground()
        signet.clock.advance(by: .seconds(3600))
        try app.enterForeground()
        let ended = await changes.nextFact()
        #expect(ended?.session == first)
        #expect(ended?.endLength == .seconds(10))
        #expect(await changes.nextFact()?.session == app.currentSession)
        await signet.runtime.shutdown()
    }

    /// Apple SDK 7.15.4: the start of a session included the time that it had waited in a queue.
    @Test func aSessionStartsWhenTheCallIsMade() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let opened = signet.clock.milliseconds
        let visitor = try await signet.runtime.open("v", identify: .none)
        signet.clock.advance(by: .seconds(30))
        #expect(visitor.currentSession?.startTime.milliseconds == opened)
        await signet.runtime.shutdown()
    }

    /// Apple SDK at HEAD: the session before is only known after an explicit end.
    @Test(arguments: SessionEnd.allCases)
    func theNextBeginTellsOfTheSessionBeforeHoweverItEnded(end: SessionEnd) async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var visitor = try await signet.runtime.open("v")
            let mpid = try await visitor.initialIdentifyResult().user.mpid
            let first = try #require(visitor.currentSession)
            signet.clock.advance(by: .seconds(7))
            try visitor.log(.custom("x"))
            switch end {
            case .timeout: signet.clock.advance(by: .seconds(60))
            case .kill:
                signet.runtime.evict("v")
                signet.clock.advance(by: .seconds(60))
                visitor = try await signet.runtime.open("v", identify: .none)
            case .explicit: try await visitor.endSession()
            }
            try visitor.log(.custom("y"))
            let second = try #require(visitor.currentSession)
            try await signet.runtime.upload()
            let events = signet.emulator.events(of: mpid).filter { $0.type == "session_start" }
            let begin = try #require(events.first { $0.sessionID == second.id })
            let attributes = begin.data["custom_attributes"]
            #expect(attributes?["$PreviousSessionUUID"]?.string == first.uuid.uuidString)
            #expect(attributes?["$PreviousSessionLengthMs"]?.string == "7000")
            #expect(attributes?["$PreviousSessionStartMs"]?.string == "\(first.startTime.milliseconds)")
        }
    }

    enum SessionEnd: CaseIterable, Sendable {
        case timeout, kill, explicit
    }

    /// Apple SDK at HEAD: `nsi`, the number of interruptions, is always zero.
    @Test func interruptionsAreCounted() async throws {
        try await self.app { _, app in
            for _ in 0..<3 {
                try app.enterBackground()
                try app.enterForeground()
            }
            #expect(app.sessionSummary?.interruptionCount == 3)
        }
    }

    /// Apple SDK at HEAD: a copy of an event forgets that it was not to begin a session.
    @Test func aCopyOfAnEventStillBeginsNoSession() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try await visitor.endSession()
            var event = Event.custom("quiet")
            event.beginsSession = false
            var copy = event
            copy.attributes["k"] = 1
            try visitor.log(copy)
            #expect(visitor.currentSession == nil)
        }
    }

    /// The vectors of the hash by which the vendors' SDKs number sessions.
    @Test(
        arguments: [
            ("76F1ABB9-7A9A-4D4E-AB4D-56C8FF79CAD1", -6_881_666_186_511_944_082),
            ("222F6BEA-F6A8-4DFC-A950-744EFD6FEC3D", 7_868_951_891_731_938_297),
            ("B469F3A1-79B6-4E83-823A-53CFC41C3880", -5_269_132_687_922_921_892),
        ] as [(String, Int64)]
    )
    func aSessionHasTheNumberThatTheVendorsGive(uuid: String, number: Int64) throws {
        let session = Session(uuid: try #require(UUID(uuidString: uuid)), startTime: .init(milliseconds: 0))
        #expect(session.id == number)
    }
}
