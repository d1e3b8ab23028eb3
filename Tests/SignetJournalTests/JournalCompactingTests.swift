// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetTestSupport
import Testing

/// A few frames that stay do not keep many others on disk.
struct JournalCompactingTests {
    private static let segmentBytes = 4000

    private func options(_ storage: Journal.Options.Storage) -> Journal.Options {
        var options = Journal.Options()
        options.segmentBytes = Self.segmentBytes
        options.storage = storage
        return options
    }

    private func payload(_ sequence: UInt64) -> [UInt8] {
        bytes("payload \(sequence) " + String(repeating: "x", count: Int(sequence % 40)))
    }

    private func append(_ journal: Journal) throws -> UInt64 {
        let next = journal.lastSequence + 1
        #expect(try journal.append(stamp: bytes("s\(next)"), payload: self.payload(next)) == next)
        return next
    }

    private func expect(_ journal: Journal, has live: [UInt64], _ comment: String = "") throws {
        let frames = try journal.frames(after: 0, limit: .max)
        #expect(frames.map(\.sequence) == live, "\(comment)")
        for frame in frames {
            #expect(frame.stamp == bytes("s\(frame.sequence)") && frame.payload == self.payload(frame.sequence))
        }
        #expect(journal.liveCount == live.count, "\(comment)")
    }

    private func diskBytes(_ folder: TemporaryFolder) throws -> Int {
        try folder.names("journal").reduce(0) { try $0 + folder.contents(of: $1).count }
    }

    @Test(arguments: Journal.Options.Storage.both)
    func theDiskHoldsAtMostTwiceTheLiveBytesAndTwoSegments(storage: Journal.Options.Storage) throws {
        for seed in SeededGenerator.seeds(20) {
            var generator = SeededGenerator(seed: seed)
            let folder = try TemporaryFolder()
            let journal = try Journal(directory: folder.path, options: self.options(storage))
            var live: [UInt64] = []
            // From one of 2 to one of 40 stays.
            let stays = UInt64.random(in: 2...40, using: &generator)
            for round in 0..<60 {
                for _ in 0..<20 { live.append(try self.append(journal)) }
                let gone = live.filter { $0 % stays != 0 && Int.random(in: 0..<3, using: &generator) > 0 }
                try journal.acknowledge(gone.shuffled(using: &generator))
                live.removeAll { gone.contains($0) }
                let bytes = live.reduce(0) { $0 + 16 + "s\($1)".utf8.count + self.payload($1).count }
                let headers = try 80 * folder.names("journal").count
                let disk = try self.diskBytes(folder)
                #expect(disk <= 2 * bytes + 2 * Self.segmentBytes + headers, "round \(round), SIGNET_SEED=\(seed)")
                #expect(journal.diskBytes >= UInt64(disk))
            }
            try self.expect(journal, has: live, "SIGNET_SEED=\(seed)")
            journal.close()
            let again = try Journal(directory: folder.path, options: self.options(storage))
            try self.expect(again, has: live, "SIGNET_SEED=\(seed)")
            #expect(again.recovery.damagedRecords == 0)
        }
    }

    @Test(arguments: Journal.Options.Storage.both)
    func aCrashAtAnyMomentShowsEachLiveFrameOnce(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let images = Locked([TemporaryFolder]())
        let isCopying = Locked(false)
        let disk = Disk { call, _ in
            guard isCopying.withLock({ $0 }), call != .read else { return nil }
            do {
                let image = try TemporaryFolder(imageOf: folder)
                images.withLock { $0.append(image) }
            } catch {
                Issue.record(error)
            }
            return nil
        }
        let journal = try Journal(directory: folder.path, options: self.options(storage), disk: disk)
        for _ in 0..<400 { _ = try self.append(journal) }
        let gone = (UInt64(1)...400).filter { $0 % 20 != 0 }
        try journal.acknowledge(gone.filter { $0 % 5 != 0 })
        let before = try folder.names("journal")
        isCopying.withLock { $0 = true }
        try journal.acknowledge(gone)
        isCopying.withLock { $0 = false }
        #expect(try folder.names("journal").count < before.count)
        let live = (UInt64(1)...400).filter { $0 % 20 == 0 }
        try self.expect(journal, has: live)
        let copies = images.withLock { $0 }
        #expect(copies.count > 10)
        for (index, image) in copies.enumerated() {
            let again = try Journal(directory: image.path, options: self.options(storage))
            let frames = try again.frames(after: 0, limit: .max).map(\.sequence)
            // The acknowledgement is there as a whole or not at all.
            let isThere = !frames.contains { gone.contains($0) }
            #expect(frames == (isThere ? live : (UInt64(1)...400).filter { $0 % 5 == 0 }), "call \(index)")
            #expect(again.recovery.damagedRecords == 0)
            #expect(try again.append(stamp: [], payload: []) == 401)
            again.close()
            let third = try Journal(directory: image.path, options: self.options(storage))
            #expect(try third.frames(after: 0, limit: .max).map(\.sequence) == frames + [401], "call \(index)")
        }
    }

    @Test(arguments: Journal.Options.Storage.both)
    func whatIsWrittenForCompactionsIsAFewTimesWhatWasAppended(storage: Journal.Options.Storage) throws {
        for count in [2000, 8000] {
            let folder = try TemporaryFolder()
            let syncs = Locked(0)
            let disk = Disk { call, name in
                if call == .sync, name.hasSuffix("journal.tmp") { syncs.withLock { $0 += 1 } }
                return nil
            }
            let journal = try Journal(directory: folder.path, options: self.options(storage), disk: disk)
            var waiting: [UInt64] = []
            for _ in 0..<count {
                let sequence = try self.append(journal)
                if sequence % 100 != 0 { waiting.append(sequence) }
                if waiting.count == 50 {
                    try journal.acknowledge(waiting)
                    waiting = []
                }
            }
            // Each compaction writes at most half a segment, so this many write at most about what was appended.
            #expect(syncs.withLock { $0 } <= count / 40)
            #expect(try folder.names("journal").count < 80)
            try self.expect(journal, has: (1...UInt64(count)).filter { $0 % 100 == 0 || waiting.contains($0) })
        }
    }

    @Test(arguments: Journal.Options.Storage.both)
    func whatIsAcknowledgedDuringACompactionStaysSo(storage: Journal.Options.Storage) async throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, options: self.options(storage))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in UInt64(0)..<4 {
                group.addTask {
                    for _ in 0..<2000 {
                        let sequence = try journal.append(stamp: [], payload: bytes("\(part)"))
                        if sequence % 30 != 0 { try journal.acknowledge([sequence]) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let expected = (1...266).map { UInt64($0 * 30) }
        #expect(try journal.frames(after: 0, limit: 10_000).map(\.sequence) == expected)
        journal.close()
        let again = try Journal(directory: folder.path, options: self.options(storage))
        #expect(try again.frames(after: 0, limit: 10_000).map(\.sequence) == expected)
    }

    @Test func manySmallFilesBecomeFew() throws {
        let folder = try TemporaryFolder()
        for _ in 1...150 {
            let journal = try Journal(directory: folder.path, options: self.options(.automatic))
            _ = try self.append(journal)
            try journal.acknowledge([])
            journal.close()
        }
        let journal = try Journal(directory: folder.path, options: self.options(.automatic))
        #expect(try folder.names("journal").count < 40)
        try self.expect(journal, has: Array(1...150))
    }

    @Test(arguments: Journal.Options.Storage.both)
    func anAcknowledgementIsFlushedBeforeTheFileOfItsFrameGoes(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, options: self.options(storage), disk: faults.disk)
        for _ in 0..<400 { _ = try self.append(journal) }
        faults.reset()
        for sequence in UInt64(1)...400 where sequence % 20 != 0 { try journal.acknowledge([sequence]) }
        var sinceWrite: [String] = []
        var removed = 0
        for asked in faults.asked where !asked.name.contains("spare") {
            let kind = asked.name.split(separator: ".").dropFirst().joined(separator: ".")
            switch asked.call {
            case .write where kind.hasPrefix("acks"): sinceWrite = []
            case .sync, .rename: sinceWrite.append("\(asked.call.rawValue) \(kind)")
            case .syncFolder: sinceWrite.append("syncFolder")
            case .remove where kind == "journal":
                removed += 1
                let steps = ["sync acks", "sync journal.tmp", "rename journal.tmp", "syncFolder"]
                // In this order; other calls may lie between.
                let done = sinceWrite.reduce(0) { $0 < steps.count && steps[$0] == $1 ? $0 + 1 : $0 }
                #expect(done == steps.count, "\(sinceWrite)")
            default: break
            }
        }
        #expect(removed > 3)
    }

    /// A kill came before the first frame of the newest file was complete.
    @Test(arguments: [80, 90])
    func manySmallFilesAndOneWithoutAFrameOpenAgainAndAgain(size: Int) throws {
        let folder = try TemporaryFolder()
        for _ in 1...33 {
            let journal = try Journal(directory: folder.path)
            _ = try self.append(journal)
            journal.close()
        }
        let last = try #require(try folder.names("journal").last)
        try folder.store(Array(try folder.contents(of: last)[..<size]), as: last)
        for start in 0..<3 {
            let journal = try Journal(directory: folder.path)
            try self.expect(journal, has: Array(1...32), "start \(start)")
            #expect(journal.lastSequence >= 32)
            #expect(try folder.names("journal").count < 33)
            journal.close()
        }
    }

    @Test(arguments: [Disk.Call.open, .write, .sync, .rename, .syncFolder, .remove, .read])
    func aCompactionThatFailsLosesNothingAndIsDoneLater(call: Disk.Call) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, options: self.options(.automatic), disk: faults.disk)
        for _ in 0..<400 { _ = try self.append(journal) }
        faults.fail { asked, name, _ in
            asked == call && (name.contains(".journal") || call == .syncFolder) ? .failure(28) : nil
        }
        var live = Set(UInt64(1)...400)
        for sequence in UInt64(1)...400 where sequence % 20 != 0 {
            _ = try errorCode { try journal.acknowledge([sequence]) }
            live.remove(sequence)
        }
        #expect(journal.liveCount == 20)
        faults.reset()
        try self.expect(journal, has: live.sorted())
        let image = try TemporaryFolder(imageOf: folder)
        let again = try Journal(directory: image.path, options: self.options(.automatic))
        try self.expect(again, has: live.sorted())
        for _ in 0..<100 {
            try journal.acknowledge([try self.append(journal)])
        }
        try self.expect(journal, has: live.sorted())
        #expect(try self.diskBytes(folder) <= 20 * 2 * 80 + 3 * Self.segmentBytes)
    }
}
