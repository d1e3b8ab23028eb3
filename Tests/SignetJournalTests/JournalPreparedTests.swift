// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetTestSupport
import Testing

#if canImport(Glibc)
import Glibc

/// Files that the upkeep makes before an append needs them.
struct JournalPreparedTests {
    private static let first = "0000000000000001.journal"
    private static let second = "0000000000000002.journal"

    private func open(
        _ folder: TemporaryFolder,
        _ works: WorkList,
        _ disk: Disk = Disk(),
        segmentBytes: Int = 2000
    ) throws -> Journal {
        var options = Journal.Options()
        options.segmentBytes = segmentBytes
        options.aside = { work in works.add(work) }
        return try Journal(directory: folder.path, options: options, disk: disk)
    }

    /// Appends frames of 100 bytes: 19 fill a file.
    private func append(_ journal: Journal, _ count: Int = 1) throws {
        for _ in 0..<count {
            _ = try journal.append(stamp: bytes("1234"), payload: [UInt8](repeating: 7, count: 80))
        }
    }

    private func bytesOnDisk(_ folder: TemporaryFolder) throws -> UInt64 {
        try folder.names("journal", "acks").reduce(0) { $0 + UInt64(try folder.contents(of: $1).count) }
    }

    private func expectSound(_ journal: Journal, _ sequences: [UInt64]) throws {
        #expect(try journal.frames(after: 0, limit: .max).map(\.sequence) == sequences)
        #expect(journal.recovery.damagedRecords == 0 && journal.recovery.neverReturned == 0)
        #expect(journal.recovery.tornBytes == 0 && journal.recovery.setAsideFiles.isEmpty)
    }

    @Test func anAppendOnlyTakesThePreparedFile() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let works = WorkList()
        let journal = try self.open(folder, works, faults.disk)
        try self.append(journal, 9)
        works.run()
        #expect(try folder.names("journal") == [Self.first])
        try self.append(journal)
        #expect(works.count == 1)
        works.run()
        #expect(try folder.names("journal") == [Self.first, Self.second])
        #expect(try journal.diskBytes == self.bytesOnDisk(folder))
        faults.reset()
        try self.append(journal, 10)
        // The header of the second file; its zeros are there.
        #expect(faults.asked.map(\.call) == [.write])
        #expect(faults.asked.allSatisfy { $0.name == Self.second })
        #expect(try journal.diskBytes == self.bytesOnDisk(folder))
        works.run()
        #expect(faults.count(.truncate) == 1)
        #expect(try folder.contents(of: Self.first).count == 80 + 1900)
        #expect(try journal.diskBytes == self.bytesOnDisk(folder))
        journal.close()
        try self.expectSound(Journal(directory: folder.path), Array(1...20))
    }

    @Test func aPreparedFileThatIsNotUsedGoesWithTheClose() throws {
        let folder = try TemporaryFolder()
        let works = WorkList()
        let journal = try self.open(folder, works)
        try self.append(journal, 12)
        works.run()
        #expect(try folder.names("journal").count == 2)
        journal.close()
        #expect(try folder.names("journal") == [Self.first])
        #expect(try folder.contents(of: Self.first).count == 80 + 1200)
        try self.expectSound(Journal(directory: folder.path), Array(1...12))
    }

    @Test(arguments: [12, 19, 20, 25])
    func aKillLosesNothingAndLeavesNoDamage(count: Int) throws {
        let folder = try TemporaryFolder()
        let works = WorkList()
        let journal = try self.open(folder, works)
        for _ in 0..<count {
            try self.append(journal)
            // What is left to cut when a file is begun, is still to be cut.
            if journal.lastSequence == 12 { works.run() }
        }
        #expect(try folder.names("journal").count == 2)
        let image = try TemporaryFolder(imageOf: folder)
        let again = try self.open(image, WorkList())
        try self.expectSound(again, Array(1...UInt64(count)))
        #expect(try image.names("journal").count == (count < 20 ? 1 : 2))
        try self.append(again)
        #expect(again.lastSequence == UInt64(count) + 1)
        again.close()
        try self.expectSound(Journal(directory: image.path), Array(1...UInt64(count) + 1))
    }

    @Test func aFrameThatDoesNotFitGetsAFileOfItsOwn() throws {
        let folder = try TemporaryFolder()
        let works = WorkList()
        let journal = try self.open(folder, works)
        try self.append(journal, 12)
        works.run()
        _ = try journal.append(stamp: [], payload: [UInt8](repeating: 1, count: 3000))
        try self.append(journal, 30)
        works.run()
        #expect(!(try folder.names().contains(Self.second)))
        let image = try TemporaryFolder(imageOf: folder)
        try self.expectSound(Journal(directory: image.path), Array(1...43))
        #expect(try journal.frames(after: 0, limit: .max).map(\.sequence) == Array(1...43))
    }

    @Test(arguments: [Disk.Call.open, .reserve, .map, .rename, .write])
    func whatCannotBePreparedIsMadeByTheAppend(call: Disk.Call) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let works = WorkList()
        let journal = try self.open(folder, works, faults.disk)
        try self.append(journal, 12)
        faults.fail { asked, _, _ in asked == call ? .failure(EIO) : nil }
        works.run()
        #expect(faults.count(call) > 0)
        #expect(try folder.names("journal") == [Self.first])
        #expect(try folder.names("tmp").isEmpty)
        faults.reset()
        try self.append(journal, 20)
        #expect(try journal.frames(after: 0, limit: .max).count == 32)
        works.run()
        try self.append(journal, 20)
        journal.close()
        try self.expectSound(Journal(directory: folder.path), Array(1...52))
    }

    /// 300,000 bytes: a header, and three pieces of zeros.
    @Test(arguments: 1...4, [Disk.Fault.failure(EIO), .failure(ENOSPC), .short(1000)])
    func aFileWhoseZerosCannotBeWrittenIsNotUsed(failing: Int, fault: Disk.Fault) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let works = WorkList()
        let journal = try self.open(folder, works, faults.disk, segmentBytes: 300_000)
        try self.append(journal, 2000)
        faults.fail { call, _, count in call == .write && count == failing ? fault : nil }
        works.run()
        // What a short write leaves is written by the next one; the header is shorter.
        let isMade = if case .short = fault { true } else { false }
        #expect(faults.count(.write) == (!isMade ? failing : failing == 1 ? 4 : 5))
        #expect(try folder.names("journal") == (isMade ? [Self.first, Self.second] : [Self.first]))
        #expect(try folder.names("tmp").isEmpty)
        faults.reset()
        try self.append(journal, 3000)
        works.run()
        #expect(try journal.diskBytes == self.bytesOnDisk(folder))
        journal.close()
        try self.expectSound(Journal(directory: folder.path), Array(1...5000))
    }

    @Test(arguments: [EIO, EROFS])
    func aDiskThatTakesNoMoreWritesIsNoticedWithinAMebibyte(number: Int32) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let works = WorkList()
        let journal = try self.open(folder, works, faults.disk, segmentBytes: 4 << 20)
        try self.append(journal, 30_000)
        works.run()
        try self.append(journal, 15_000)
        try #require(try folder.names("journal") == [Self.first, Self.second])
        let before = journal.lastSequence
        faults.fail { call, _, _ in call == .write ? .failure(number) : nil }
        var code: StorageError.Code?
        while code == nil, journal.lastSequence < 80_000 { code = try errorCode { try self.append(journal) } }
        #expect(code != nil)
        #expect(journal.lastSequence - before <= (1 << 20) / 100)
        let accepted = journal.lastSequence
        #expect(try errorCode { try self.append(journal) } == code)
        faults.reset()
        try self.append(journal, 5000)
        journal.close()
        try self.expectSound(Journal(directory: folder.path), Array(1...accepted + 5000))
    }

    @Test func itsRemovalIsNoticedWithin128KiB() throws {
        let folder = try TemporaryFolder()
        let works = WorkList()
        let journal = try self.open(folder, works, segmentBytes: 1 << 20)
        try self.append(journal, 8000)
        works.run()
        try self.append(journal, 4000)
        try #require(try folder.names("journal") == [Self.first, Self.second])
        let before = journal.lastSequence
        unlink(folder.path(of: Self.second))
        var code: StorageError.Code?
        while code == nil, journal.lastSequence < 20_000 { code = try errorCode { try self.append(journal) } }
        #expect(code == .directoryUnusable)
        #expect(journal.lastSequence - before <= (128 << 10) / 100)
    }

    @Test func aPreparedFileThatCannotBeBegunIsReplaced() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let works = WorkList()
        let journal = try self.open(folder, works, faults.disk)
        try self.append(journal, 19)
        works.run()
        faults.fail { call, name, _ in call == .write && name == Self.second ? .failure(EIO) : nil }
        try self.append(journal, 5)
        faults.reset()
        works.run()
        #expect(try folder.names("journal").count == 2)
        #expect(!(try folder.names().contains(Self.second)))
        journal.close()
        try self.expectSound(Journal(directory: folder.path), Array(1...24))
    }

    @Test func anErasureAndACompactionLeaveItReadyForTheNextFrames() throws {
        let folder = try TemporaryFolder()
        let works = WorkList()
        let journal = try self.open(folder, works)
        try self.append(journal, 12)
        works.run()
        let erasure = try journal.erase(where: { sequence, _ in sequence <= 6 })
        #expect(erasure.live == 6)
        try self.append(journal, 3)
        #expect(try folder.names("journal").contains(Self.second))
        let image = try TemporaryFolder(imageOf: folder)
        try self.expectSound(Journal(directory: image.path), Array(7...15))
        try self.append(journal, 30)
        try journal.acknowledge((7...45).filter { $0 % 5 != 0 })
        works.run()
        journal.close()
        try self.expectSound(Journal(directory: folder.path), [10, 15, 20, 25, 30, 35, 40, 45])
    }

    @Test func aRemovedFolderTakesThePreparedFileWithIt() throws {
        let folder = try TemporaryFolder()
        let works = WorkList()
        var options = Journal.Options()
        options.segmentBytes = 2000
        options.aside = { work in works.add(work) }
        let path = folder.path(of: "inner")
        let journal = try Journal(directory: path, options: options)
        try self.append(journal, 12)
        works.run()
        for name in try TemporaryFolder.names(path) { unlink("\(path)/\(name)") }
        try #require(rmdir(path) == 0)
        var code: StorageError.Code?
        while code == nil, journal.lastSequence < 100 { code = try errorCode { try self.append(journal) } }
        #expect(code == .directoryUnusable)
        let accepted = journal.lastSequence
        try self.append(journal, 10)
        works.run()
        try journal.sync()
        #expect(journal.damagedFrames == 0)
        journal.close()
        try self.expectSound(Journal(directory: path), Array(1...accepted + 10))
    }
}
#endif
