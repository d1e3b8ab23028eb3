// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite struct KillTests {
    /// A process that logs and is killed in the middle of its life; every event whose `log` had returned is delivered.
    @Test func everyEventWhoseLogReturnedSurvivesAKill() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let signet = try EmulatedSignet(in: path)
            let visitor = try await signet.runtime.open(
                "v",
                deviceApplicationStamp: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
            )
            try await visitor.setAttribute("gold", for: "tier")
            for index in 0..<500 { try visitor.log(.custom("e\(index)")) }
            signet.clock.advance(by: .seconds(7))
            try visitor.log(.custom("last"))
            kill(getpid(), SIGKILL)
        }
        // After the session was over.
        let later = ManualClock(startingAtMilliseconds: 1_700_000_100_000)
        let nobody = try TemporaryFolder(copying: folder)
        #expect(try !owedWork(directory: nobody.path).isEmpty)
        let quiet = try EmulatedSignet(in: nobody.path, clock: ManualClock(startingAt: later.date))
        let owed = try await quiet.owedAfterADay(in: nobody.path)
        #expect(owed.isEmpty, "\(owed)")
        let signet = try EmulatedSignet(in: folder.path, clock: later)
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v")
            #expect(visitor.deviceApplicationStamp.uuidString == "01020304-0506-0708-090A-0B0C0D0E0F10")
            return try await visitor.initialIdentifyResult().user.mpid
        }
        let events = signet.emulator.events(of: mpid)
        #expect(events.filter { $0.type == "custom_event" }.count == 501)
        #expect(Set(events.compactMap(\.name)) == Set((0..<500).map { "e\($0)" } + ["last"]))
        #expect(signet.emulator.copies(of: mpid).allSatisfy { $0 == 1 })
        #expect(signet.emulator.user(mpid)?.attributes["tier"] == .string("gold"))
        // The session that was cut off ended with its last event, before the new one began.
        let sessions = events.filter { $0.type.hasPrefix("session_") }.sorted { $0.timestamp < $1.timestamp }
        #expect(Set(sessions.map(\.type)) == ["session_start", "session_end"])
        #expect(sessions.count == 3)
        let end = try #require(sessions.first { $0.type == "session_end" })
        #expect(end.data["session_duration_ms"]?.number?.int64 == 7000)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func aKilledInstallationComesBackFromDiskAndItsOldHandlesAreClosed() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let old = try await signet.openKnown()
            let user = try #require(old.currentUser)
            var changes = old.sessionChanges().makeAsyncIterator()
            signet.runtime.evict("v")
            signet.clock.advance(by: .seconds(60))
            #expect(#expect(throws: SignetError.self) { try old.log(.custom("x")) }?.code == .closed)
            let new = try await signet.runtime.open("v", identify: .none)
            #expect(new.currentUser?.mpid == user.mpid)
            #expect(new.deviceApplicationStamp == old.deviceApplicationStamp)
            #expect(await changes.nextFact()?.endLength == .zero)
            #expect(await changes.nextFact()?.session == new.currentSession)
            #expect(old.currentSession != new.currentSession)
        }
    }
}
