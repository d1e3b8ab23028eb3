// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import Testing

#if canImport(Glibc)
import Glibc

/// What a disk does to a journal at each of its calls, and that it goes on once the cause is gone.
struct JournalDiskFaultTests {
    private func payload() -> [UInt8] { [UInt8](repeating: 7, count: 100) }

    private func append(_ journal: Journal) throws -> UInt64 {
        try journal.append(stamp: bytes("s"), payload: self.payload())
    }

    /// The appends before a fault: with a file that is half full, the next one is prepared.
    private static let counts = [3, 5]

    @Test(
        arguments: [(Disk.Call.reserve, ENOSPC), (.reserve, EDQUOT), (.write, ENOSPC), (.open, ENOSPC)],
        UpkeepPlace.allCases
    )
    func aFullDiskIsAnErrorWhereAFileIsBegun(fault: (Disk.Call, Int32), upkeep: UpkeepPlace) throws {
        let (call, number) = fault
        for count in Self.counts { try self.fillDisk(call, number, after: count, upkeep.makeWorks()) }
    }

    private func fillDisk(_ call: Disk.Call, _ number: Int32, after count: Int, _ works: WorkList?) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, segmentBytes: 1000, works: works, disk: faults.disk)
        var last: UInt64 = 0
        for _ in 1...count { last = try self.append(journal) }
        works?.run()
        faults.fail { asked, _, _ in asked == call ? .failure(number) : nil }
        var code: StorageError.Code?
        while code == nil {
            code = try errorCode { last = try self.append(journal) }
            works?.run()
            try #require(last < 100)
        }
        #expect(code == .diskFull)
        #expect(try errorCode { _ = try self.append(journal) } == .diskFull)
        #expect(journal.lastSequence == last)
        #expect(journal.liveCount == Int(last))
        #expect(try folder.names("tmp").isEmpty)
        faults.reset()
        #expect(try self.append(journal) == last + 1)
        #expect(try journal.frames(after: 0, limit: 100).map(\.sequence) == Array(1...last + 1))
    }

    @Test(arguments: [Disk.Call.reserve, .map, .open, .write, .rename], UpkeepPlace.allCases)
    func aDiskThatFailsIsAnErrorAndNotTheEnd(call: Disk.Call, upkeep: UpkeepPlace) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let works = upkeep.makeWorks()
        let journal = try Journal(directory: folder.path, segmentBytes: 1000, works: works, disk: faults.disk)
        for number in [EIO, EMFILE, EROFS] {
            var last = try self.append(journal)
            works?.run()
            faults.fail { asked, _, _ in asked == call ? .failure(number) : nil }
            var code: StorageError.Code?
            while code == nil {
                code = try errorCode { last = try self.append(journal) }
                works?.run()
                try #require(last < 100)
            }
            #expect(code == (number == EROFS ? .directoryUnusable : .diskFailed))
            faults.reset()
            #expect(try self.append(journal) == last + 1)
        }
        let live = journal.liveCount
        #expect(try journal.frames(after: 0, limit: 100).map(\.sequence) == Array(1...UInt64(live)))
        journal.close()
        #expect(try Journal(directory: folder.path).liveCount == live)
    }

    @Test(
        arguments: [(Disk.Call.reserve, EOPNOTSUPP), (.reserve, ENOSYS), (.map, ENODEV), (.map, ENOMEM)],
        UpkeepPlace.allCases
    )
    func whereSpaceCannotBeReservedOrMappedFramesAreWritten(fault: (Disk.Call, Int32), upkeep: UpkeepPlace) throws {
        let (call, number) = fault
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        faults.fail { asked, _, _ in asked == call ? .failure(number) : nil }
        let works = upkeep.makeWorks()
        let journal = try Journal(directory: folder.path, segmentBytes: 1000, works: works, disk: faults.disk)
        for sequence in UInt64(1)...30 {
            #expect(try self.append(journal) == sequence)
            works?.run()
        }
        #expect(journal.diskBytes < 30 * 117 + 80 * 6)
        if number == EOPNOTSUPP || number == ENOSYS { #expect(faults.count(.reserve) == 1) }
        #expect(try journal.frames(after: 0, limit: 100).count == 30)
        journal.close()
        let again = try Journal(directory: folder.path)
        #expect(again.liveCount == 30)
        #expect(again.recovery.tornBytes == 0)
    }

    @Test(arguments: Journal.Options.Storage.both, UpkeepPlace.allCases)
    func aFolderThatIsRemovedWhileOpenIsAnErrorOfSync(storage: Journal.Options.Storage, upkeep: UpkeepPlace) throws {
        let folder = try TemporaryFolder()
        let inner = folder.path(of: "inner")
        let works = upkeep.makeWorks()
        let journal = try Journal(directory: inner, segmentBytes: 1000, storage: storage, works: works)
        for _ in 1...3 { _ = try self.append(journal) }
        try journal.sync()
        _ = try self.append(journal)
        works?.run()
        for name in try TemporaryFolder.names(inner) { unlink("\(inner)/\(name)") }
        #expect(rmdir(inner) == 0)
        // Something else has the path: the folder can neither be opened nor made.
        try folder.store([], as: "inner")
        #expect(try errorCode { try journal.sync() } == .directoryUnusable)
        #expect(journal.syncedSequence == 3)
        works?.run()
        #expect(try errorCode { for _ in 1...20 { _ = try self.append(journal) } } == .directoryUnusable)
        #expect(try journal.frames(after: 0, limit: 3).map(\.sequence) == [1, 2, 3])
    }

    @Test(arguments: UpkeepPlace.allCases)
    func aFileThatIsRemovedBeforeAReaderOpensItHasNothingLeftToRead(upkeep: UpkeepPlace) throws {
        let folder = try TemporaryFolder()
        let works = upkeep.makeWorks()
        let holder = Locked<Journal?>(nil)
        // Between the look at the files and the opening of one, its frames are acknowledged and the file goes.
        let disk = Disk { call, name in
            guard call == .open, name == "0000000000000001.journal", let journal = holder.withLock({ $0 }) else {
                return nil
            }
            holder.withLock { $0 = nil }
            do {
                try journal.acknowledge([1])
                works?.run()
            } catch {
                Issue.record(error)
            }
            return nil
        }
        let journal = try Journal(directory: folder.path, segmentBytes: 1, works: works, disk: disk)
        for _ in 1...30 { _ = try self.append(journal) }
        works?.run()
        // Until then, its descriptor stays open.
        try journal.sync()
        holder.withLock { $0 = journal }
        #expect(try journal.frames(after: 0, limit: 2).map(\.sequence) == [2, 3])
        #expect(holder.withLock { $0 == nil })
        #expect(!(try folder.names().contains("0000000000000001.journal")))
    }
}
#endif
