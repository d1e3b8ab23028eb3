// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetTestSupport
import Testing

/// Long frames wait while short ones come and go: what is counted is what is there.
struct JournalUnlikeFramesTests {
    private static let segmentBytes = 64 << 10
    private static let long = 5000
    private static let short = 100

    private func options(
        _ storage: Journal.Options.Storage,
        limit: UInt64? = nil,
        _ whenFull: Journal.Options.OverflowPolicy = .refuse
    ) -> Journal.Options {
        var options = Journal.Options()
        options.segmentBytes = Self.segmentBytes
        options.storage = storage
        options.limitBytes = limit
        options.whenFull = whenFull
        return options
    }

    private func append(_ journal: Journal, _ count: Int) throws -> UInt64 {
        try journal.append(stamp: [], payload: [UInt8](repeating: 7, count: count - 16))
    }

    private func liveBytes(_ journal: Journal) throws -> Int {
        try journal.frames(after: 0, limit: .max).reduce(0) { $0 + 16 + $1.payload.count }
    }

    @Test(arguments: Journal.Options.Storage.both)
    func theLimitHoldsWhereLongFramesWaitAndShortOnesGo(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let limit = 10 * Self.segmentBytes
        let journal = try Journal(directory: folder.path, options: self.options(storage, limit: UInt64(limit)))
        var code: StorageError.Code?
        while code == nil {
            code = try errorCode {
                _ = try self.append(journal, Self.long)
                for _ in 1...10 { try journal.acknowledge([try self.append(journal, Self.short)]) }
            }
        }
        #expect(code == .limitReached)
        let live = try self.liveBytes(journal)
        #expect(live <= limit && live > limit - Self.segmentBytes)
        #expect(journal.liveBytes == UInt64(live))
    }

    @Test(arguments: Journal.Options.Storage.both)
    func noMoreOfTheOldestGoThanTheLimitAsksFor(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let limit = 10 * Self.segmentBytes
        let options = self.options(storage, limit: UInt64(limit), .dropOldest)
        let journal = try Journal(directory: folder.path, options: options)
        for _ in 1...400 {
            _ = try self.append(journal, Self.long)
            for _ in 1...10 { try journal.acknowledge([try self.append(journal, Self.short)]) }
            #expect(try self.liveBytes(journal) <= limit)
        }
        #expect(journal.droppedFrames == 400 - journal.liveCount)
        #expect(try self.liveBytes(journal) > limit - Self.segmentBytes)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func compactedFilesAreAtMostHalfASegment(storage: Journal.Options.Storage) throws {
        for seed in SeededGenerator.seeds(10) {
            var generator = SeededGenerator(seed: seed)
            let folder = try TemporaryFolder()
            let journal = try Journal(directory: folder.path, options: self.options(storage))
            var live: [UInt64: Int] = [:]
            let stays = UInt64.random(in: 2...30, using: &generator)
            for round in 0..<60 {
                for _ in 0..<40 {
                    let count = Int.random(in: 0..<20, using: &generator) == 0 ? Self.long : Self.short
                    live[try self.append(journal, count)] = count
                }
                // Now the long ones stay, now the short ones.
                let goes = Bool.random(using: &generator) ? Self.long : Self.short
                let gone = live.filter { $0.key % stays != 0 && $0.value == goes }.keys.sorted()
                try journal.acknowledge(gone)
                for sequence in gone { live[sequence] = nil }
                let bytes = live.values.reduce(0, +)
                let files = try folder.names("journal").map { try folder.contents(of: $0) }
                let disk = files.reduce(0) { $0 + $1.count }
                #expect(journal.liveBytes == UInt64(bytes), "round \(round), SIGNET_SEED=\(seed)")
                let most = 2 * bytes + 2 * Self.segmentBytes + 80 * files.count
                #expect(disk <= most, "round \(round), SIGNET_SEED=\(seed)")
                for file in files where file[32..<36].contains(where: { $0 != 0 }) {
                    #expect(file.count <= Self.segmentBytes / 2 + 80, "round \(round), SIGNET_SEED=\(seed)")
                }
            }
            #expect(try journal.frames(after: 0, limit: .max).map(\.sequence) == live.keys.sorted())
        }
    }
}
