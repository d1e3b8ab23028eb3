// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

#if canImport(Glibc)
/// Files that were prepared, as a loss of power or a kill may leave them.
struct JournalUnbegunTests {
    private static let first = "0000000000000001.journal"
    private static let second = "0000000000000002.journal"

    private func open(_ folder: TemporaryFolder, _ works: WorkList? = WorkList()) throws -> Journal {
        try Journal(directory: folder.path, segmentBytes: 2000, works: works)
    }

    private func append(_ journal: Journal, _ count: Int = 1) throws {
        for _ in 0..<count {
            _ = try journal.append(stamp: bytes("1234"), payload: [UInt8](repeating: 7, count: 80))
        }
    }

    /// A folder as a kill leaves it: frames of 100 bytes, 19 in a file; the second file was prepared, then begun.
    private func makeFolder(_ count: Int = 25) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let works = WorkList()
        let journal = try self.open(folder, works)
        for number in 1...count {
            try self.append(journal)
            if number == 12 { works.run() }
        }
        return try TemporaryFolder(imageOf: folder)
    }

    /// Changes the second file; its header is the one that it had before it was begun.
    private func change(_ folder: TemporaryFolder, salt: UInt32? = nil, _ change: (inout [UInt8]) -> Void) throws {
        var content = try folder.contents(of: Self.second)
        guard case .known(var header) = FileHeader.read(Array(content[..<FileHeader.size])) else {
            Issue.record("no header")
            return
        }
        #expect(header.base == 20)
        header.base = 0
        header.salt = salt ?? header.salt
        content.replaceSubrange(..<FileHeader.size, with: header.encoded)
        change(&content)
        try folder.store(content, as: Self.second)
    }

    private func expect(_ sequences: [UInt64], in folder: TemporaryFolder, damaged: Int = 0, holes: Int = 0) throws {
        let journal = try self.open(folder)
        #expect(try journal.frames(after: 0, limit: .max).map(\.sequence) == sequences)
        #expect(journal.recovery.damagedRecords == damaged)
        #expect(journal.recovery.neverReturned == holes)
        #expect(journal.recovery.tornBytes == 0)
        try self.append(journal)
        let next = (sequences.last ?? 0) + 1
        #expect(journal.lastSequence == next)
        journal.close()
        let again = try self.open(folder, nil)
        #expect(try again.frames(after: 0, limit: .max).map(\.sequence) == sequences + [next])
        #expect(again.recovery.damagedRecords == 0 && again.recovery.tornBytes == 0)
        #expect(again.recovery.setAsideFiles.isEmpty)
    }

    @Test(arguments: [25, 45])
    func framesBehindALostHeaderCount(count: Int) throws {
        let folder = try self.makeFolder(count)
        try self.change(folder) { _ in }
        try self.expect(Array(1...UInt64(count)), in: folder)
    }

    @Test(arguments: [25, 45])
    func framesThatWereLostWithTheHeaderAreAHole(count: Int) throws {
        let folder = try self.makeFolder(count)
        try self.change(folder) { content in
            for offset in 80..<310 { content[offset] = 0 }
        }
        try self.expect((1...UInt64(count)).filter { !(20...22).contains($0) }, in: folder, holes: 1)
    }

    @Test(arguments: [25, 45])
    func aDamagedFrameBeforeTheFirstSoundOneIsCounted(count: Int) throws {
        let folder = try self.makeFolder(count)
        try self.change(folder) { content in
            // Bytes of the payloads of frames 20 and 21.
            content[80 + 50] ^= 1
            content[180 + 50] ^= 1
        }
        try self.expect((1...UInt64(count)).filter { !(20...21).contains($0) }, in: folder, damaged: 2)
        #expect(try folder.names().contains("\(Self.second).damaged"))
    }

    @Test func acknowledgedFramesStayAcknowledged() throws {
        let folder = try TemporaryFolder()
        let works = WorkList()
        let journal = try self.open(folder, works)
        try self.append(journal, 12)
        works.run()
        try self.append(journal, 13)
        try journal.acknowledge([20, 21, 25])
        let image = try TemporaryFolder(imageOf: folder)
        try self.change(image) { _ in }
        let again = try self.open(image)
        #expect(try again.frames(after: 0, limit: .max).map(\.sequence) == Array(1...19) + [22, 23, 24])
        #expect(again.lastSequence == 25)
    }

    @Test func aFileWithoutASoundFrameIsRemoved() throws {
        let zero = try self.makeFolder()
        try self.change(zero) { content in
            for offset in 80..<content.count { content[offset] = 0 }
        }
        let changed = try self.makeFolder()
        try self.change(changed) { content in
            for frame in 0..<6 { content[80 + frame * 100 + 50] ^= 1 }
        }
        // Bytes of another file, whose blocks this one got.
        let foreign = try self.makeFolder()
        try self.change(foreign, salt: 7) { _ in }
        for folder in [zero, changed, foreign] {
            let journal = try self.open(folder, nil)
            #expect(try journal.frames(after: 0, limit: .max).map(\.sequence) == Array(1...19))
            #expect(try folder.names("journal") == [Self.first])
        }
    }

    @Test(arguments: UpkeepPlace.allCases)
    func reservedSpaceOfAFullFileIsCutAfterAKill(upkeep: UpkeepPlace) throws {
        let folder = try self.makeFolder()
        #expect(try folder.contents(of: Self.first).count == 2000)
        let works = upkeep.makeWorks()
        let journal = try self.open(folder, works)
        if let works {
            #expect(try journal.diskBytes == self.bytesOnDisk(folder))
            #expect(works.count == 1)
            works.run()
        }
        #expect(try folder.contents(of: Self.first).count == 80 + 1900)
        #expect(try journal.diskBytes == self.bytesOnDisk(folder))
        #expect(try journal.frames(after: 0, limit: .max).map(\.sequence) == Array(1...25))
    }

    private func bytesOnDisk(_ folder: TemporaryFolder) throws -> UInt64 {
        try folder.names("journal", "acks").reduce(0) { $0 + UInt64(try folder.contents(of: $1).count) }
    }
}
#endif
