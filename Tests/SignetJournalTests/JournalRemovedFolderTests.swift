// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

#if canImport(Glibc)
import Glibc

/// Somebody removes the folder of a journal that runs: what is accepted is in files that a start finds.
struct JournalRemovedFolderTests {
    private static let segmentBytes = 1 << 20
    private static let payload = [UInt8](repeating: 7, count: 300)

    private func append(_ journal: Journal) throws -> UInt64 {
        try journal.append(stamp: bytes("s"), payload: Self.payload)
    }

    private func open(_ path: String, _ storage: Journal.Options.Storage) throws -> Journal {
        try Journal(directory: path, segmentBytes: Self.segmentBytes, storage: storage)
    }

    private func remove(_ folder: TemporaryFolder, _ name: String) throws {
        for file in try TemporaryFolder.names(folder.path(of: name)) { unlink("\(folder.path(of: name))/\(file)") }
        try #require(rmdir(folder.path(of: name)) == 0)
    }

    /// Appends until the journal notices; how many it accepted.
    private func appendUntilRefused(_ journal: Journal) throws -> Int {
        for count in 0..<10_000 {
            let code = try errorCode { _ = try self.append(journal) }
            guard let code else { continue }
            #expect(code == .directoryUnusable)
            return count
        }
        return .max
    }

    @Test(arguments: Journal.Options.Storage.both)
    func itIsNoticedWithin128KiBAndTheNextAppendMakesTheFolderAgain(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "inner")
        let journal = try self.open(path, storage)
        for _ in 1...10 { _ = try self.append(journal) }
        try self.remove(folder, "inner")
        let accepted = try self.appendUntilRefused(journal)
        #expect(accepted <= (128 << 10) / 300)
        #expect(journal.liveCount == 10 + accepted)
        #expect(try self.append(journal) == UInt64(11 + accepted))
        #expect(try TemporaryFolder.names(path).contains { $0.hasSuffix(".journal") })
        // The folder is locked again.
        #expect(try errorCode { _ = try self.open(path, storage) } == .locked)
        try journal.acknowledge([1, 2])
        try journal.maintain()
        #expect(journal.damagedFrames == 0)
        journal.close()
        let again = try self.open(path, storage)
        #expect(try again.frames(after: 0, limit: .max).map(\.sequence) == Array(3...UInt64(11 + accepted)))
        #expect(again.recovery.damagedRecords == 0)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func whileTheFolderCannotBeMadeNothingIsAccepted(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "inner")
        let journal = try self.open(path, storage)
        for _ in 1...10 { _ = try self.append(journal) }
        try journal.sync()
        try self.remove(folder, "inner")
        try folder.store([], as: "inner")
        let count = UInt64(try self.appendUntilRefused(journal))
        for _ in 1...5 { #expect(try errorCode { _ = try self.append(journal) } == .directoryUnusable) }
        #expect(try errorCode { try journal.sync() } == .directoryUnusable)
        #expect(journal.liveCount == 10 + Int(count))
        try folder.remove("inner")
        try journal.sync()
        #expect(journal.syncedSequence == 10 + count)
        #expect(try self.append(journal) == 11 + count)
        journal.close()
        #expect(try self.open(path, storage).liveCount == 11 + Int(count))
    }

    @Test(arguments: Journal.Options.Storage.both)
    func aFullFileWithoutANameDoesNotGrow(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "inner")
        let journal = try Journal(directory: path, segmentBytes: 1000, storage: storage)
        for _ in 1...2 { _ = try self.append(journal) }
        try self.remove(folder, "inner")
        #expect(try self.appendUntilRefused(journal) <= 1)
        #expect(try self.append(journal) <= 4)
    }

    @Test func anotherHolderOfTheNewFolderIsRespected() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "inner")
        let journal = try self.open(path, .automatic)
        _ = try self.append(journal)
        try self.remove(folder, "inner")
        let other = try self.open(path, .automatic)
        _ = try self.appendUntilRefused(journal)
        #expect(try errorCode { _ = try self.append(journal) } == .locked)
        #expect(try errorCode { try journal.sync() } == .locked)
        #expect(try self.append(other) == 1)
        other.close()
        // Its files are not ours to go on with.
        #expect(try errorCode { _ = try self.append(journal) } == .directoryUnusable)
        #expect(try errorCode { try journal.sync() } == .directoryUnusable)
        journal.close()
        #expect(try self.open(path, .automatic).frames(after: 0, limit: 9).map(\.sequence) == [1])
    }

    @Test(arguments: Journal.Options.Storage.both)
    func framesOfFilesThatAreNotOpenAreCountedAsLost(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "inner")
        let first = try self.open(path, storage)
        for _ in 1...7 { _ = try self.append(first) }
        first.close()
        let journal = try self.open(path, storage)
        for _ in 1...3 { _ = try self.append(journal) }
        try self.remove(folder, "inner")
        let count = UInt64(try self.appendUntilRefused(journal))
        _ = try self.append(journal)
        #expect(journal.damagedFrames == 7)
        #expect(try journal.frames(after: 0, limit: .max).map(\.sequence) == Array(8...11 + count))
        #expect(journal.liveCount == 4 + Int(count))
        try journal.sync()
        #expect(try TemporaryFolder.names(path).count { $0.hasSuffix(".journal") } == 2)
    }

    @Test func aStateLogIsWrittenToTheNewFolderByItsNextSync() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "inner")
        let log = try StateLog(directory: path)
        for number in 1...10 { try log.put(bytes("value \(number)"), for: bytes("key \(number)")) }
        try log.compact()
        try log.put(bytes("other"), for: bytes("key 1"))
        try log.sync()
        try self.remove(folder, "inner")
        try folder.store([], as: "inner")
        try log.put(bytes("later"), for: bytes("key 2"))
        #expect(try errorCode { try log.sync() } == .directoryUnusable)
        try folder.remove("inner")
        try log.sync()
        #expect(try errorCode { _ = try StateLog(directory: path) } == .locked)
        try log.put(bytes("last"), for: bytes("key 3"))
        log.close()
        let again = try StateLog(directory: path)
        #expect(again.recovery.records == 10 && again.recovery.damagedRecords == 0)
        for (key, value) in [(1, "other"), (2, "later"), (3, "last"), (4, "value 4")] {
            #expect(try again.value(for: bytes("key \(key)")) == bytes(value))
        }
    }
}
#endif
