// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import Testing

#if canImport(Glibc)
import Glibc

/// What appends and acknowledgements leave to do.
struct JournalUpkeepTests {
    private static let segmentBytes = 2000

    /// A frame of 100 bytes.
    private func append(_ journal: Journal) throws -> UInt64 {
        try journal.append(stamp: bytes("1234"), payload: [UInt8](repeating: 7, count: 80))
    }

    @Test(arguments: Journal.Options.Storage.both)
    func aFileThatCannotBeRemovedDoesNotKeepTheOthers(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let size = Self.segmentBytes
        let journal = try Journal(directory: folder.path, segmentBytes: size, storage: storage, disk: faults.disk)
        for _ in 1...400 { _ = try self.append(journal) }
        let stuck = "0000000000000001.journal"
        faults.fail { call, name, _ in call == .remove && name == stuck ? .failure(EPERM) : nil }
        // Whole files go, and from file to file fewer frames stay.
        let stay = (UInt64(1)...400).filter { $0 > 200 && $0 % 20 == 0 }
        for sequence in UInt64(1)...400 where !stay.contains(sequence) {
            let code = try errorCode { try journal.acknowledge([sequence]) }
            #expect(code == nil || code == .directoryUnusable)
        }
        let names = try folder.names("journal")
        #expect(names.contains(stuck) && names.count <= 6)
        #expect(try journal.frames(after: 0, limit: 100).map(\.sequence) == stay)
        #expect(try errorCode { try journal.maintain() } == .directoryUnusable)
        faults.reset()
        try journal.maintain()
        #expect(!(try folder.names("journal").contains(stuck)))
    }

    @Test func acknowledgementsOfAFileThatCannotBeRemovedAreKept() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, segmentBytes: Self.segmentBytes, disk: faults.disk)
        for _ in 1...2000 { _ = try self.append(journal) }
        let stuck = "0000000000000001.journal"
        faults.fail { call, name, _ in call == .remove && name == stuck ? .failure(EPERM) : nil }
        // Each takes 40 bytes, and they are written anew beyond 64 KiB.
        for sequence in UInt64(1)...1800 {
            let code = try errorCode { try journal.acknowledge([sequence]) }
            #expect(code == nil || code == .directoryUnusable)
        }
        #expect(!(try folder.names().contains("0000000000000001.acks")))
        let image = try TemporaryFolder(imageOf: folder)
        #expect(try image.names().contains(stuck))
        let again = try Journal(directory: image.path)
        #expect(try again.frames(after: 0, limit: .max).map(\.sequence) == Array(1801...2000))
    }

    @Test func aCompactionLeavesAFileAloneUntilWhatIsDamagedInItIsCopied() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, segmentBytes: Self.segmentBytes, disk: faults.disk)
        for _ in 1...400 { _ = try self.append(journal) }
        let name = "0000000000000002.journal"
        var file = try folder.contents(of: name)
        // A byte of frame 20, the second file's first, which stays.
        file[80 + 99] ^= 1
        try folder.store(file, as: name)
        faults.fail { call, name, _ in call == .open && name.hasSuffix(".damaged") ? .failure(EIO) : nil }
        for sequence in UInt64(1)...400 where sequence % 20 != 0 { try journal.acknowledge([sequence]) }
        #expect(try folder.names().contains(name))
        #expect(journal.damagedFrames == 0)
        faults.reset()
        for _ in 1...100 { try journal.acknowledge([try self.append(journal)]) }
        #expect(journal.damagedFrames == 1)
        #expect(!(try folder.names().contains(name)))
        let copied = faults.asked.firstIndex { $0.call == .sync && $0.name == "\(name).damaged" }
        let removed = faults.asked.firstIndex { $0.call == .remove && $0.name == name }
        #expect(try #require(copied) < #require(removed))
    }

    @Test(arguments: Journal.Options.Storage.both)
    func anAppendThatLetsTheOldestGoRemovesNoFileWhileSomebodyElseDoes(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        var options = Journal.Options()
        options.segmentBytes = Self.segmentBytes
        options.limitBytes = 10_000
        options.whenFull = .dropOldest
        options.storage = storage
        let journal = try Journal(directory: folder.path, options: options, disk: faults.disk)
        for round in 1...100 {
            faults.reset()
            for _ in 1...10 { _ = try self.append(journal) }
            #expect(faults.count(.remove) == 0 && faults.count(.sync) == 0, "round \(round)")
            try journal.maintain()
            #expect(try folder.names("journal").count <= 8)
        }
        #expect(journal.droppedFrames > 800)
        // And where nobody does, the disk does not fill up.
        for _ in 1...1000 { _ = try self.append(journal) }
        #expect(try folder.names("journal").count <= 12)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func aFileStaysOpenUntilItWasFlushed(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, segmentBytes: 1, storage: storage, disk: faults.disk)
        faults.reset()
        for _ in 1...60 { _ = try self.append(journal) }
        try journal.sync()
        // Each was flushed by the descriptor that wrote to it.
        #expect(!faults.asked.contains { $0.call == .open && $0.name.hasSuffix(".journal") })
        faults.reset()
        for _ in 1...200 { _ = try self.append(journal) }
        // Nobody calls for a flush, and an append makes none: whoever logs would wait for it.
        #expect(faults.count(.sync) == 0)
        #expect(try self.openFiles(folder) > 200)
        try journal.maintain()
        #expect(try self.openFiles(folder) <= 16 + 8)
        #expect(!faults.asked.contains { $0.call == .open && $0.name.hasSuffix(".journal") })
    }

    /// The descriptors do not use up those of the process: what was given up is written again before it counts as flushed.
    @Test(arguments: Journal.Options.Storage.both)
    func appendsFlushNothingAndKeepFewFilesOpen(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, segmentBytes: 1, storage: storage, disk: faults.disk)
        faults.reset()
        let sequences = try (1...400).map { _ in try self.append(journal) }
        #expect(faults.count(.sync) == 0)
        #expect(try self.openFiles(folder) <= 16 + 256 + 8)
        #expect(try journal.frames(after: 0, limit: 1000).map(\.sequence) == sequences)
        #expect(journal.syncedSequence < sequences[0])
        try journal.sync()
        #expect(journal.syncedSequence == sequences.last)
        #expect(try self.openFiles(folder) <= 16 + 8)
        journal.close()
        let next = try Journal(directory: folder.path, segmentBytes: 1, storage: storage)
        #expect(try next.frames(after: 0, limit: 1000).map(\.sequence) == sequences)
        #expect(next.damagedFrames == 0)
    }

    private func openFiles(_ folder: TemporaryFolder) throws -> Int {
        try TemporaryFolder.names("/proc/self/fd").count { name in
            var path = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/fd/\(name)", &path, path.count)
            let bytes = path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
            return String(decoding: bytes, as: UTF8.self).hasPrefix(folder.path + "/")
        }
    }

    @Test func aFileGrowsWhereNoNewOneCanBeMadeButNotForEver() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        var options = Journal.Options()
        options.segmentBytes = Self.segmentBytes
        options.growthBytes = 5000
        options.storage = .written
        let journal = try Journal(directory: folder.path, options: options, disk: faults.disk)
        _ = try self.append(journal)
        faults.fail { call, name, _ in call == .open && name.contains(".journal") ? .failure(EMFILE) : nil }
        var code: StorageError.Code?
        while code == nil, journal.lastSequence < 1000 { code = try errorCode { _ = try self.append(journal) } }
        #expect(code == .diskFailed)
        #expect(journal.lastSequence == (5000 - 80) / 100)
        #expect(try folder.names("journal").map { try folder.contents(of: $0).count } == [80 + 4900])
        faults.reset()
        #expect(try self.append(journal) == 50)
    }
}
#endif
