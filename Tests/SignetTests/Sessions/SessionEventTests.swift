// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct SessionEventTests {
    @Test func sessionEventsCarryTheStampsOfTheirSession() async throws {
        let folder = try TemporaryFolder()
        var sessions: [Session] = []
        let clock = ManualClock(startingAtMilliseconds: 1_700_000_000_000)
        let signet = try EmulatedSignet(
            in: folder.path,
            platform: Emulator(clock: clock, wallClock: { clock.date }),
            clock: clock
        )
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v")
            let user = try await visitor.initialIdentifyResult().user
            sessions.append(try #require(visitor.currentSession))
            clock.advance(by: .milliseconds(2500))
            try visitor.log(.screen("home"))
            clock.advance(by: .seconds(100))
            try visitor.log(.custom("x"))
            sessions.append(try #require(visitor.currentSession))
            return user.mpid
        }
        let events = signet.emulator.events(of: mpid)
        #expect(events.map(\.type) == ["session_start", "screen_view", "session_end", "session_start", "custom_event"])
        #expect(events.map(\.sessionID) == [0, 0, 0, 1, 1].map { sessions[$0].id })
        #expect(events.map(\.sessionUUID) == [0, 0, 0, 1, 1].map { sessions[$0].uuid.uuidString })
        // The end is stamped with the last activity, not with the moment it was found.
        #expect(events.map { $0.timestamp - 1_700_000_000_000 } == [0, 2500, 2500, 102_500, 102_500])
        #expect(events[2].data["session_duration_ms"]?.number?.int64 == 2500)
        #expect(events.flatMap(\.undocumentedMembers) == [])
        #expect(Set(events.map(\.messageID)).count == 5)
    }

    @Test func theJournalHasTheOrderInWhichTasksLogged() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let visitor = try await signet.runtime.open("v", identify: .none)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for index in 0..<50 {
                        visitor.logIfPossible(.custom("\(task)", attributes: ["n": .integer(Int64(index))]))
                    }
                }
            }
        }
        let frames = try signet.runtime.context.journal.frames(after: 0, limit: 1000)
        let events = try frames.dropFirst().map { try JSONReader.read($0.payload)["data"] }
        #expect(frames.count == 401)
        for task in 0..<8 {
            let own = events.filter { $0?["event_name"]?.string == "\(task)" }
            #expect(own.map { $0?["custom_attributes"]?["n"]?.string } == (0..<50).map { "\($0)" })
        }
        #expect(Set(events.map { $0?["session_uuid"]?.string }) == [visitor.currentSession?.uuid.uuidString])
        await signet.runtime.shutdown()
    }

    @Test func aTooLongEventBeginsNoSession() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let signet = try EmulatedSignet(in: folder.path, clock: clock)
        let visitor = try await signet.runtime.open("v", identify: .none)
        clock.advance(by: .seconds(60))
        let before = signet.runtime.statistics.eventsAccepted
        var changes = visitor.sessionChanges().makeAsyncIterator()
        let attributes = Dictionary(
            uniqueKeysWithValues: (0..<60).map {
                ("k\($0)", AttributeValue.string(String(repeating: "x", count: 4000)))
            }
        )
        let error = #expect(throws: SignetError.self) {
            try visitor.log(.custom("big", attributes: Attributes(attributes)))
        }
        #expect(error?.code == .invalidArgument)
        #expect(signet.runtime.statistics.eventsAccepted == before)
        try visitor.log(.custom("small"))
        #expect(signet.runtime.statistics.eventsAccepted == before + 3)
        guard case .ended = try #require(await changes.nextFact()).kind else {
            return #expect(Bool(false), "The session that timed out ends first.")
        }
        #expect(await changes.nextFact()?.kind == .began)
        await signet.runtime.shutdown()
        #expect(await changes.nextFact() == nil)
    }
}
