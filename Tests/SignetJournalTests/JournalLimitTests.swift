// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

struct JournalLimitTests {
    private func journal(
        _ folder: TemporaryFolder,
        _ whenFull: Journal.Options.OverflowPolicy,
        _ storage: Journal.Options.Storage,
        segmentBytes: Int = 2000
    ) throws -> Journal {
        var options = Journal.Options()
        options.segmentBytes = segmentBytes
        options.limitBytes = 10_000
        options.whenFull = whenFull
        options.storage = storage
        return try Journal(directory: folder.path, options: options)
    }

    /// A frame of 100 bytes.
    private func append(_ journal: Journal) throws -> UInt64 {
        try journal.append(stamp: bytes("1234"), payload: [UInt8](repeating: 7, count: 80))
    }

    @Test(arguments: Journal.Options.Storage.both)
    func theNewestIsRefusedUntilThereIsRoom(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try self.journal(folder, .refuse, storage)
        for sequence in UInt64(1)...100 {
            #expect(try self.append(journal) == sequence)
        }
        #expect(journal.liveBytes == 10_000)
        #expect(try errorCode { _ = try self.append(journal) } == .limitReached)
        #expect(journal.liveCount == 100)
        #expect(journal.lastSequence == 100)
        #expect(journal.droppedFrames == 0)
        try journal.acknowledge([50])
        #expect(try self.append(journal) == 101)
        #expect(try errorCode { _ = try self.append(journal) } == .limitReached)
        journal.close()
        let again = try self.journal(folder, .refuse, storage)
        #expect(try errorCode { _ = try self.append(again) } == .limitReached)
        try again.acknowledge(Array(1...101))
        #expect(try self.append(again) == 102)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func theOldestGoWhereThatIsAskedFor(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try self.journal(folder, .dropOldest, storage)
        for sequence in UInt64(1)...1000 {
            #expect(try self.append(journal) == sequence)
            #expect(journal.liveBytes <= 10_000)
        }
        #expect(journal.droppedFrames == 1000 - journal.liveCount)
        #expect(journal.liveCount >= 90)
        let live = try journal.frames(after: 0, limit: 200).map(\.sequence)
        #expect(live == Array((1000 - UInt64(live.count) + 1)...1000))
        #expect(try folder.names("journal").count < 10)
        let image = try TemporaryFolder(imageOf: folder)
        let again = try self.journal(image, .dropOldest, storage)
        #expect(try again.frames(after: 0, limit: 200).map(\.sequence) == live)
        #expect(again.droppedFrames == 0)
    }

    @Test func aFrameBeyondTheWholeLimitIsRefusedAndDropsNothing() throws {
        let folder = try TemporaryFolder()
        let journal = try self.journal(folder, .dropOldest, .automatic)
        _ = try self.append(journal)
        let payload = [UInt8](repeating: 1, count: 10_000)
        #expect(try errorCode { _ = try journal.append(stamp: [], payload: payload) } == .limitReached)
        #expect(journal.liveCount == 1)
    }

    @Test func framesThatGoOneByOneMakeRoomForAsManyOthers() throws {
        let folder = try TemporaryFolder()
        let journal = try self.journal(folder, .dropOldest, .automatic)
        for _ in 1...100 { _ = try self.append(journal) }
        try journal.acknowledge((UInt64(1)...100).filter { $0 % 2 == 0 })
        for _ in 1...50 { _ = try self.append(journal) }
        #expect(journal.droppedFrames == 0)
        _ = try self.append(journal)
        let dropped = journal.droppedFrames
        #expect(dropped >= 1)
        let odd = (UInt64(1)...100).filter { $0 % 2 == 1 }
        let live = try journal.frames(after: 0, limit: 200).map(\.sequence)
        #expect(live == Array(odd.dropFirst(dropped)) + Array(101...151))
    }
}
