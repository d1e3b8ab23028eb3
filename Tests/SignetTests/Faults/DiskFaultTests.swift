// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// A runtime on a disk that fails for a while, in each way and at each call.
@Suite(.watched) struct DiskFaultTests {
    /// What the kernel says.
    enum Errno: Int32, CaseIterable, Sendable {
        case io = 5
        case tooManyFiles = 24
        case noSpace = 28
        case readOnly = 30
    }

    private static let calls = Disk.Call.allCases.filter { $0 != .map }

    /// What is accepted while the disk fails, is delivered; what is not, was refused with an error of the disk.
    @Test(arguments: Self.calls, Errno.allCases)
    func aFaultCostsNothingThatWasAccepted(call: Disk.Call, errno: Errno) async throws {
        for storage in [Journal.Options.Storage.automatic, .written] {
            try await Self.live(through: call, errno, storage)
        }
    }

    private static func live(through call: Disk.Call, _ errno: Errno, _ storage: Journal.Options.Storage) async throws {
        let folder = try TemporaryFolder()
        let isBroken = Locked(false)
        let signet = try EmulatedSignet(in: folder.path) {
            $0.sessions.timeout = .seconds(1_000_000)
            $0.events.maximumBatchesPerSecond = nil
            $0.journal.storage = storage
            // Small files, so that files are made and removed all the time.
            $0.journal.segmentBytes = 4 << 10
            $0.disk = Disk(asking: { request in
                request.call == call && isBroken.withLock { $0 } ? .failure(errno.rawValue) : nil
            })
        }
        var accepted = 0
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.runtime.upload()
            accepted = signet.runtime.statistics.eventsAccepted
            isBroken.withLock { $0 = true }
            for index in 0..<60 {
                do throws(SignetError) {
                    try visitor.log(.custom("e\(index)"))
                    accepted += 1
                } catch {
                    #expect([.diskFull, .diskFailed, .directoryUnusable].contains(error.code), "\(error)")
                }
                if index == 30 { await signet.takeIn() }
            }
            do throws(SignetError) { try await signet.runtime.sync() } catch {
                #expect([.diskFull, .diskFailed, .directoryUnusable].contains(error.code), "\(error)")
            }
            #expect(signet.runtime.statistics.eventsInMemory == 0)
            isBroken.withLock { $0 = false }
            // A disk that failed is left alone for five seconds.
            for _ in 0..<4 {
                await signet.takeIn()
                signet.clock.advance(by: .seconds(6))
            }
            try visitor.log(.custom("the service resumes"))
            accepted += 1
            try await signet.runtime.sync()
        }
        let statistics = signet.runtime.statistics
        #expect(statistics.eventsAccepted == accepted)
        #expect(statistics.eventsLost == 0)
        #expect(statistics.eventsDelivered + statistics.eventsWaiting == accepted)
        // What is left is on disk, for the next process.
        let next = try EmulatedSignet(in: folder.path, platform: signet.emulator, clock: signet.clock)
        _ = try await next.run { try await $0.runtime.upload() }
        let mpid = try #require(signet.emulator.batches().first?.mpid)
        #expect(signet.emulator.copies(of: mpid).count == accepted)
    }

    @Test func clocksThatJumpCostNothingAndNobodysSession() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path) { $0.sessions.timeout = .seconds(1800) }
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            let session = try #require(visitor.currentSession)
            for shift in [-86_400, 400 * 86_400, -3 * 400 * 86_400, 86_400, 20] {
                signet.clock.shiftWallClock(by: .seconds(shift))
                try visitor.log(.custom("after \(shift)"))
                await signet.takeIn()
                signet.clock.advance(by: .seconds(60))
            }
            #expect(visitor.currentSession == session)
            try await signet.runtime.upload()
            #expect(signet.runtime.statistics.eventsWaiting == 0)
        }
        #expect(signet.runtime.statistics.eventsDropped == [:])
        #expect(signet.runtime.statistics.eventsLost == 0)
        let names = signet.emulator.batches().flatMap { $0.json["events"]?.array ?? [] }
            .compactMap { $0["data"]?["event_name"]?.string }
        #expect(names.count == 5)
    }
}
