// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetTestSupport
import Testing

/// A journal file whose first bytes are lost.
struct JournalLostHeaderTests {
    private static let name = "0000000000000001.journal"

    /// A file of frames of 100 bytes.
    private func makeFolder(
        _ storage: Journal.Options.Storage,
        _ count: Int = 100,
        acknowledging acknowledged: [UInt64] = []
    ) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, storage: storage)
        for number in 1...count {
            _ = try journal.append(stamp: bytes("1234"), payload: [UInt8](repeating: UInt8(number), count: 80))
        }
        try journal.acknowledge(acknowledged)
        journal.close()
        return folder
    }

    private func lose(_ count: Int, of folder: TemporaryFolder, byte: UInt8 = 0) throws {
        var content = try folder.contents(of: Self.name)
        content.replaceSubrange(..<count, with: [UInt8](repeating: byte, count: count))
        try folder.store(content, as: Self.name)
    }

    @Test(arguments: Journal.Options.Storage.both, [80, 512, 4096])
    func itCostsTheFramesThatWereThereAndNoOthers(storage: Journal.Options.Storage, lost: Int) throws {
        let folder = try self.makeFolder(storage)
        try self.lose(lost, of: folder)
        let journal = try Journal(directory: folder.path, storage: storage)
        let first = UInt64((lost - 80 + 99) / 100) + 1
        let frames = try journal.frames(after: 0, limit: .max)
        #expect(frames.map(\.sequence) == Array(first...100))
        #expect(frames.allSatisfy { $0.payload == [UInt8](repeating: UInt8($0.sequence), count: 80) })
        #expect(journal.recovery.lostFrames == Int(first) - 1)
        #expect(journal.recovery.damagedRecords == 1 && journal.recovery.setAsideFiles.isEmpty)
        #expect(try journal.append(stamp: [], payload: []) == 101)
        journal.close()
        // The header is there again.
        let again = try Journal(directory: folder.path, storage: storage)
        #expect(try again.frames(after: 0, limit: .max).map(\.sequence) == Array(first...101))
        #expect(again.recovery.damagedRecords == 0 && again.recovery.lostFrames == 0)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func acknowledgedFramesAreNotLost(storage: Journal.Options.Storage) throws {
        let folder = try self.makeFolder(storage, acknowledging: [1, 2, 4, 50])
        try self.lose(1000, of: folder)
        let journal = try Journal(directory: folder.path, storage: storage)
        // 3 and 5 to 10.
        #expect(journal.recovery.lost == [3...3, 5...10] && journal.recovery.lostFrames == 7)
        #expect(journal.liveCount == 89)
    }

    @Test(arguments: Journal.Options.Storage.both) func otherBytesInItsPlaceAreNoHeader(
        storage: Journal.Options.Storage
    ) throws {
        for byte: UInt8 in [0x5A, 0xFF] {
            let folder = try self.makeFolder(storage)
            try self.lose(500, of: folder, byte: byte)
            let journal = try Journal(directory: folder.path, storage: storage)
            #expect(try journal.frames(after: 0, limit: .max).map(\.sequence) == Array(6...100))
            #expect(journal.recovery.lostFrames == 5)
        }
    }

    /// The checksum of one frame alone proves too little.
    @Test(arguments: Journal.Options.Storage.both) func oneFrameIsNotEnough(storage: Journal.Options.Storage) throws {
        let folder = try self.makeFolder(storage, 1)
        try self.lose(80, of: folder)
        let journal = try Journal(directory: folder.path, storage: storage)
        #expect(journal.recovery.setAsideFiles == ["\(Self.name).aside"])
        #expect(journal.liveCount == 0)
    }
}
