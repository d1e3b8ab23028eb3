// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetTestSupport
import Testing

/// Files of a journal that were set aside, and what is still whole in them.
struct AsideContentsTests {
    private static let name = "0000000000000001.journal"

    /// A file of frames of 100 bytes.
    private func makeFolder(_ count: Int) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path)
        for number in 1...count {
            _ = try journal.append(stamp: bytes("1234"), payload: [UInt8](repeating: UInt8(number), count: 80))
        }
        journal.close()
        return folder
    }

    private func read(_ bytes: [UInt8]) throws -> AsideContents {
        try AsideContents(bytes, path: Self.name) { stamp, _ in stamp.elementsEqual("1234".utf8) }
    }

    /// Changes a byte of a frame's payload.
    private func damage(_ frame: Int, of folder: TemporaryFolder) throws {
        var content = try folder.contents(of: Self.name)
        content[FileHeader.size + (frame - 1) * 100 + 50] ^= 1
        try folder.store(content, as: Self.name)
    }

    @Test func theOnlyFrameOfAFileWithoutAHeaderIsRead() throws {
        let folder = try self.makeFolder(1)
        var content = try folder.contents(of: Self.name)
        content.replaceSubrange(..<FileHeader.size, with: [UInt8](repeating: 0, count: FileHeader.size))
        try folder.store(content, as: Self.name)
        let journal = try Journal(directory: folder.path)
        #expect(journal.recovery.setAsideFiles == ["\(Self.name).aside"])
        journal.close()
        let aside = try folder.contents(of: "\(Self.name).aside")
        let contents = try self.read(aside)
        #expect(contents.kind == .journal && contents.damage.isEmpty)
        #expect(contents.frames.map(\.sequence) == [1])
        #expect(contents.frames.first?.stamp == bytes("1234"))
        #expect(contents.frames.first?.payload == [UInt8](repeating: 1, count: 80))
        // Bytes that only have the right checksum are not taken for a frame.
        let other = try AsideContents(aside, path: Self.name) { _, _ in false }
        #expect(other.frames.isEmpty && other.damage.map(\.range) == [0..<UInt64(aside.count)])
    }

    @Test(arguments: [true, false]) func theFramesAroundADamagedOneAreRead(hasHeader: Bool) throws {
        let folder = try self.makeFolder(5)
        try self.damage(3, of: folder)
        var content = try folder.contents(of: Self.name)
        if !hasHeader {
            content.replaceSubrange(..<FileHeader.size, with: [UInt8](repeating: 0xFF, count: FileHeader.size))
        }
        let contents = try self.read(content)
        #expect(contents.frames.map(\.sequence) == [1, 2, 4, 5])
        #expect(contents.damage.map(\.range) == [280..<380])
        #expect(contents.damage.first?.frame?.sequence == 3)
        #expect(contents.damage.first?.frame?.stamp == bytes("1234"))
    }

    @Test func framesInWhoseMidstBytesAreLostAreRead() throws {
        let folder = try self.makeFolder(5)
        var content = try folder.contents(of: Self.name)
        content.replaceSubrange(200..<300, with: [UInt8](repeating: 0, count: 100))
        let contents = try self.read(content)
        #expect(contents.frames.map(\.sequence) == [1, 4, 5])
        #expect(contents.damage.map(\.range.upperBound).max() == 380)
    }

    @Test func copiesOfDamagedBytesSayWhereTheyWere() throws {
        let folder = try self.makeFolder(5)
        try self.damage(3, of: folder)
        let journal = try Journal(directory: folder.path)
        #expect(try journal.frames(after: 0, limit: .max).map(\.sequence) == [1, 2, 4, 5])
        try journal.sync()
        journal.close()
        let contents = try self.read(try folder.contents(of: "\(Self.name).damaged"))
        #expect(contents.kind == .copies && contents.frames.isEmpty)
        #expect(contents.damage.map(\.range) == [280..<380])
    }

    @Test func aFileOfAnotherVersionIsRefused() throws {
        var header = FileHeader(kind: .journal, salt: 7, number: 1, base: 1)
        header.version = 9
        let bytes = header.encoded
        let error = #expect(throws: StorageError.self) { try self.read(bytes) }
        #expect(error?.code == .newerFormat)
    }

    @Test func anEmptyFileHasNothing() throws {
        let contents = try self.read([])
        #expect(contents.frames.isEmpty && contents.damage.map(\.range) == [0..<0])
    }
}
