// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// No task flushes, renames or removes a file: the runtime's own thread does.
///
/// Each test lets the whole work happen, so that a blocking call in any of its steps shows.
@Suite(.watched) struct DiskThreadTests {
    private static func visitor(of signet: EmulatedSignet) async throws -> (Installation, MPID) {
        let visitor = try await signet.runtime.open("v", identify: .none)
        let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
        for number in 0..<20 { try visitor.log(.custom("event \(number)")) }
        return (visitor, mpid)
    }

    @Test func theThreadErasesAUser() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(in: folder.path, configure: { $0.disk = held.disk }) { signet in
            let (_, mpid) = try await Self.visitor(of: signet)
            held.watch()
            let report = try await signet.runtime.eraseUser(mpid)
            #expect(!report.isEmpty)
            // Every byte of the old records goes, with its file.
            #expect(held.saw(.sync) && held.saw(.remove))
            #expect(held.ofTasks == [])
        }
    }

    @Test func theThreadReadsTheInstallationsForAnErasure() async throws {
        let folder = try TemporaryFolder()
        let count = 60
        let mpid = try await withEmulatedSignet(
            in: folder.path,
            // The clock stands still.
            configure: { $0.events.maximumBatchesPerSecond = nil }
        ) { signet in
            for number in 0..<count {
                let visitor = try await signet.runtime.open(InstallationID("other\(number)"), identify: .none)
                _ = try await visitor.login([.customerID: "other-\(number)"])
            }
            let (_, mpid) = try await Self.visitor(of: signet)
            try await signet.runtime.upload()
            return mpid
        }
        let held = HeldDisk()
        try await withEmulatedSignet(in: folder.path, configure: { $0.disk = held.disk }) { signet in
            held.watch()
            let report = try await signet.runtime.eraseUser(mpid)
            #expect(!report.isEmpty)
            let reads = held.reads
            #expect(reads.all > count)
            // Not one for each installation.
            #expect(reads.ofTasks < count / 2)
        }
    }

    @Test func theThreadResetsAnInstallation() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(in: folder.path, configure: { $0.disk = held.disk }) { signet in
            let (visitor, _) = try await Self.visitor(of: signet)
            held.watch()
            try await visitor.reset()
            #expect(signet.runtime.statistics.eventsDropped[.reset, default: 0] >= 20)
            #expect(held.saw(.sync))
            #expect(held.ofTasks == [])
        }
    }

    @Test func theThreadEndsAnOptOut() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(in: folder.path, configure: { $0.disk = held.disk }) { signet in
            let (visitor, _) = try await Self.visitor(of: signet)
            held.watch()
            try await visitor.setOptedOut(true)
            let store = signet.runtime.context.store
            await until("events dropped") { signet.runtime.statistics.eventsDropped[.optedOut, default: 0] >= 20 }
            try await until("the opt-out's record removed") { try store.keys(withPrefix: StateKey.optOuts).isEmpty }
            #expect(held.saw(.sync))
            #expect(held.ofTasks == [])
        }
    }

    @Test func theThreadKeepsTheFilesSmall() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(
            in: folder.path,
            configure: {
                $0.disk = held.disk
                $0.stateLog.compactionBytes = 1 << 10
            }
        ) { signet in
            let (visitor, _) = try await Self.visitor(of: signet)
            for number in 0..<200 { try await visitor.setAttribute(.string("\(number)"), for: "colour") }
            held.watch()
            await until("a compaction") {
                // Each turn, as the loop may not be asleep yet.
                signet.clock.advance(by: .seconds(60))
                return held.saw(.remove)
            }
            #expect(held.ofTasks == [])
        }
    }

    @Test func theThreadEndsTheRuntime() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        let signet = try EmulatedSignet(in: folder.path) { $0.disk = held.disk }
        let visitor = try await signet.runtime.open("v", identify: .none)
        try visitor.log(.custom("one"))
        held.watch()
        let report = await signet.runtime.shutdown(within: .zero)
        #expect(report.eventsLeft > 0)
        #expect(held.saw(.sync))
        #expect(held.ofTasks == [])
    }

    // MARK: - Ending during long work

    /// True once the directory is closed.
    private static func isClosed(_ store: StateStore) throws -> Bool {
        do throws(SignetError) {
            _ = try store.value(for: StateKey.workspace)
            return false
        } catch {
            guard error.code == .notRunning else { throw error }
            return true
        }
    }

    @Test func aShutdownStopsACompaction() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(
            in: folder.path,
            configure: {
                $0.disk = held.disk
                $0.stateLog.compactionBytes = 1 << 10
            }
        ) { signet in
            let (visitor, _) = try await Self.visitor(of: signet)
            for number in 0..<200 { try await visitor.setAttribute(.string("\(number)"), for: "colour") }
            held.hold(HeldDisk.isOfCompaction)
            try await withThrowingTaskGroup(of: Void.self) { ending in
                defer { held.letGo() }
                await until("a compaction") {
                    signet.clock.advance(by: .seconds(60))
                    return held.isWaitedFor
                }
                ending.addTask { await signet.runtime.shutdown(within: .zero) }
                let store = signet.runtime.context.store
                try await until("the close") { try Self.isClosed(store) }
                #expect(held.isWaitedFor, "The disk was let go too early.")
                held.letGo()
                try await ending.waitForAll()
            }
            // It has removed none of the files that it was to replace.
            #expect(held.removed.filter { $0.hasSuffix(".log") } == [])
            #expect(held.ofTasks == [])
        }
    }

    @Test func aShutdownStopsAnErasureWhichTheNextStartFinishes() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        let mpid = try await withEmulatedSignet(in: folder.path, configure: { $0.disk = held.disk }) { signet in
            let (_, mpid) = try await Self.visitor(of: signet)
            held.hold(HeldDisk.isOfCompaction)
            try await withThrowingTaskGroup(of: Void.self) { ending in
                defer { held.letGo() }
                ending.addTask {
                    await #expect(throws: SignetError.self) { _ = try await signet.runtime.eraseUser(mpid) }
                }
                await until("the compaction of an erasure") { held.isWaitedFor }
                ending.addTask { await signet.runtime.shutdown(within: .zero) }
                let store = signet.runtime.context.store
                try await until("the close") { try Self.isClosed(store) }
                #expect(held.isWaitedFor, "The disk was let go too early.")
                held.letGo()
                try await ending.waitForAll()
            }
            return mpid
        }
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            #expect(visitor.user(mpid) == nil)
            #expect(try signet.runtime.context.store.keys(withPrefix: StateKey.tombstones).isEmpty)
        }
    }
}
