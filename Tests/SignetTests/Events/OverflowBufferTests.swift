// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Events that the disk does not take.
@Suite(.watched) struct OverflowBufferTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let platform: Emulator
    private let observer = RecordingObserver()
    private let isBroken = Locked(false)

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
    }

    private func signet(_ onDiskFailure: SignetConfiguration.Events.OnDiskFailure) throws -> EmulatedSignet {
        let isBroken = self.isBroken
        return try EmulatedSignet(
            in: self.folder.path,
            platform: self.platform,
            clock: self.clock,
            observer: self.observer,
            configure: {
                $0.sessions.timeout = .seconds(1_000_000)
                $0.events.storage.onDiskFailure = onDiskFailure
                $0.journal.storage = .written
                $0.disk = Disk(asking: { request in
                    guard request.call == .write, request.folder.hasSuffix("/journal") else { return nil }
                    // ENOSPC
                    return isBroken.withLock { $0 } ? .failure(28) : nil
                })
            }
        )
    }

    @Test func withoutBeingAskedNothingIsKeptAndTheServiceResumes() async throws {
        let signet = try self.signet(.fail)
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            self.isBroken.withLock { $0 = true }
            let error = #expect(throws: SignetError.self) { try visitor.log(.custom("x")) }
            #expect(error?.code == .diskFull)
            #expect(signet.runtime.statistics.eventsInMemory == 0)
            self.isBroken.withLock { $0 = false }
            try visitor.log(.custom("y"))
        }
        #expect(signet.runtime.statistics.eventsDelivered == 2)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func whenAskedForTheyWaitInMemoryForTheDiskAndKeepTheirOrder() async throws {
        let signet = try self.signet(.keepInMemory(bytes: 1 << 20))
        let mpid = try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("e0"))
            self.isBroken.withLock { $0 = true }
            for index in 1...5 { try visitor.log(.custom("e\(index)")) }
            #expect(signet.runtime.statistics.eventsInMemory == 5)
            #expect(signet.runtime.statistics.eventsJournaled == signet.runtime.statistics.eventsAccepted - 5)
            #expect(signet.runtime.statistics.eventsWaiting == 7)
            #expect(signet.runtime.statistics.eventsLost == 0)
            self.isBroken.withLock { $0 = false }
            // What follows does not overtake them.
            try visitor.log(.custom("e6"))
            await signet.takeIn()
            #expect(signet.runtime.statistics.eventsInMemory == 0)
            try await signet.runtime.upload()
            return try #require(visitor.currentUser).mpid
        }
        #expect(self.platform.events(of: mpid).compactMap(\.name) == (0...6).map { "e\($0)" })
        #expect(signet.runtime.statistics.eventsAccepted == 8)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func aFlushDoesNotCallSafeWhatIsOnlyInMemory() async throws {
        let signet = try self.signet(.keepInMemory(bytes: 1 << 20))
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.runtime.upload()
            self.isBroken.withLock { $0 = true }
            try visitor.log(.custom("x"))
            let synced = await #expect(throws: SignetError.self) { try await signet.runtime.sync() }
            let uploaded = await #expect(throws: SignetError.self) { try await signet.runtime.upload() }
            #expect(synced?.code == .diskFull && uploaded?.code == .diskFull)
            self.isBroken.withLock { $0 = false }
            try await signet.runtime.sync()
            #expect(signet.runtime.statistics.eventsInMemory == 0)
            self.isBroken.withLock { $0 = true }
            try visitor.log(.custom("y"))
            let report = await signet.runtime.shutdown(within: .seconds(5))
            #expect(!report.isComplete)
        }
        #expect(signet.runtime.statistics.eventsDropped == [.diskFailure: 1])
    }

    @Test func whenTheMemoryIsFullTheCallThrowsAndWhatIsLostAtTheEndIsCounted() async throws {
        let signet = try self.signet(.keepInMemory(bytes: 2000))
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            self.isBroken.withLock { $0 = true }
            var kept = 0
            var refusal: SignetError?
            while refusal == nil {
                do throws(SignetError) {
                    try visitor.log(.custom("x"))
                    kept += 1
                } catch {
                    refusal = error
                }
            }
            #expect(refusal?.code == .diskFull)
            #expect(signet.runtime.statistics.eventsInMemory == kept)
            #expect((2...20).contains(kept))
        }
        let statistics = signet.runtime.statistics
        #expect((statistics.eventsDropped[.diskFailure] ?? 0) >= 2)
        #expect(statistics.eventsInMemory == 0)
        #expect(statistics.eventsLost == 0)
    }
}
