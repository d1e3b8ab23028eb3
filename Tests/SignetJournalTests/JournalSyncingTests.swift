// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import Testing

struct JournalSyncingTests {
    private func append(_ journal: Journal) throws -> UInt64 {
        try journal.append(stamp: bytes("s"), payload: bytes("payload \(journal.lastSequence + 1)"))
    }

    @Test(arguments: Journal.Options.Storage.both)
    func whatIsFlushedIsNotFlushedAgain(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, storage: storage, disk: faults.disk)
        #expect(journal.syncedSequence == 0)
        try journal.sync()
        #expect(faults.count(.sync) == 0)
        for _ in 1...3 { _ = try self.append(journal) }
        #expect(journal.syncedSequence == 0)
        try journal.sync()
        #expect(journal.syncedSequence == 3)
        #expect(faults.count(.sync) == 1)
        #expect(faults.count(.syncFolder) == 1)
        #expect(journal.syncCount == 1)
        try journal.sync()
        #expect(faults.count(.sync) == 1)
        try journal.acknowledge([2])
        try journal.sync()
        #expect(faults.count(.sync) == 2)
        _ = try self.append(journal)
        #expect(journal.syncedSequence == 3)
        try journal.sync()
        #expect(journal.syncedSequence == 4)
        #expect(faults.count(.syncFolder) == 2)
    }

    @Test func whoIsCoveredByAFlushThatBeganAfterTheCallReturnsWithoutOne() async throws {
        let folder = try TemporaryFolder()
        let flushes = Locked(0)
        let disk = Disk { call, _ in
            if call == .sync { flushes.withLock { $0 += 1 } }
            return nil
        }
        let journal = try Journal(directory: folder.path, options: Journal.Options(), disk: disk)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        let sequence = try journal.append(stamp: [], payload: bytes("x"))
                        try journal.sync()
                        #expect(journal.syncedSequence >= sequence)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(journal.syncedSequence == 400)
        #expect(flushes.withLock { $0 } <= 400)
        #expect(journal.syncCount == flushes.withLock { $0 })
    }

    @Test(arguments: Journal.Options.Storage.both)
    func namesThatAKillLeftUnflushedAreFlushedByTheNextSync(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, storage: storage)
        _ = try self.append(journal)
        let image = try TemporaryFolder(imageOf: folder)
        let faults = FaultyDisk()
        let again = try Journal(directory: image.path, storage: storage, disk: faults.disk)
        faults.reset()
        try again.sync()
        #expect(faults.count(.sync) == 1)
        #expect(faults.count(.syncFolder) == 1)
        #expect(again.syncedSequence == 1)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func aFlushThatFailedIsNeverTriedAgainOnTheSameFile(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, storage: storage, disk: faults.disk)
        for _ in 1...5 { _ = try self.append(journal) }
        let inode = try folder.inode(of: "0000000000000001.journal")
        faults.fail { call, name, count in call == .sync && count <= 2 ? .failure(5) : nil }
        // The flush fails, and that of the copy.
        #expect(try errorCode { try journal.sync() } == .diskFailed)
        #expect(journal.syncedSequence == 0)
        #expect(try self.append(journal) == 6)
        try journal.sync()
        #expect(journal.syncedSequence == 6)
        #expect(try folder.inode(of: "0000000000000001.journal") != inode)
        let names = faults.asked.filter { $0.call == .sync }.map(\.name)
        #expect(names.filter { $0 == "0000000000000001.journal" }.count == 1)
        #expect(names.contains("0000000000000001.journal.tmp"))
        #expect(try journal.frames(after: 0, limit: 9).map(\.sequence) == Array(1...6))
        #expect(try folder.names("tmp").isEmpty)
        journal.close()
        let again = try Journal(directory: folder.path)
        #expect(try again.frames(after: 0, limit: 9).map(\.sequence) == Array(1...6))
        #expect(again.recovery.damagedRecords == 0)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func aFolderWhoseFlushFailedGetsItsNamesAgain(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, storage: storage, disk: faults.disk)
        for _ in 1...5 { _ = try self.append(journal) }
        let inode = try folder.inode(of: "0000000000000001.journal")
        faults.fail { call, _, count in call == .syncFolder && count == 1 ? .failure(5) : nil }
        try journal.sync()
        #expect(try folder.inode(of: "0000000000000001.journal") != inode)
        #expect(journal.syncedSequence == 5)
        #expect(try self.append(journal) == 6)
        try journal.sync()
        #expect(try journal.frames(after: 0, limit: 9).map(\.sequence) == Array(1...6))
    }
}
