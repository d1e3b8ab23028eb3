// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetTestSupport
import Testing

/// Folders with files that were changed at random: nothing crashes, nothing is made up, nothing is reported twice.
struct RandomDamageTests {
    private func damage(_ folder: TemporaryFolder, _ generator: inout SeededGenerator) throws {
        let names = try folder.names("log", "snapshot", "journal", "acks")
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
            let name = try #require(names.randomElement(using: &generator))
            guard try folder.names().contains(name) else { continue }
            var content = try folder.contents(of: name)
            guard !content.isEmpty else { continue }
            let first = Int.random(in: 0..<content.count, using: &generator)
            let last = min(content.count, first + Int.random(in: 1...60, using: &generator))
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: content[first] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: content.replaceSubrange(first..<last, with: [UInt8](repeating: 0, count: last - first))
            case 2: content.removeSubrange(first..<last)
            case 3:
                content.insert(
                    contentsOf: content[first..<last],
                    at: Int.random(in: 0..<content.count, using: &generator)
                )
            case 4: content.removeLast(content.count - first)
            case 5: content.replaceSubrange(first..<last, with: generator.bytes(0...80))
            case 6: content += content
            default:
                try folder.remove(name)
                continue
            }
            try folder.store(content, as: name)
        }
    }

    @Test func aStateLogNeverMakesAnythingUp() throws {
        var damaged = 0
        for seed in SeededGenerator.seeds(300) {
            var generator = SeededGenerator(seed: seed)
            let folder = try TemporaryFolder()
            var options = StateLog.Options()
            options.fileBytes = 300
            let log = try StateLog(directory: folder.path, options: options)
            var history: [String: Set<String>] = [:]
            for number in 0..<40 {
                let key = "key \(Int.random(in: 0..<8, using: &generator))"
                let value = (number.isMultiple(of: 3) ? "due, " : "") + "\(key) is \(number)"
                try SampleLog.put(value, for: key, in: log)
                history[key, default: []].insert(value)
                if number == 20 { try log.compact() }
            }
            log.close()
            try self.damage(folder, &generator)
            let again = try StateLog(directory: folder.path, options: options)
            let state = try SampleLog.state(of: again)
            for (key, value) in state {
                #expect(history[key]?.contains(value) == true, "SIGNET_SEED=\(seed)")
            }
            if again.recovery.damagedRecords > 0 { damaged += 1 }
            try again.put(bytes("new"), for: bytes("new"))
            again.close()
            let third = try StateLog(directory: folder.path, options: options)
            #expect(try SampleLog.state(of: third) == state.merging(["new": "new"]) { $1 }, "SIGNET_SEED=\(seed)")
            #expect(third.recovery.damagedRecords == 0, "SIGNET_SEED=\(seed)")
            #expect(third.recovery.tornBytes == 0, "SIGNET_SEED=\(seed)")
            #expect(third.recovery.setAsideFiles.isEmpty, "SIGNET_SEED=\(seed)")
            try third.compact()
            #expect(try SampleLog.state(of: third) == state.merging(["new": "new"]) { $1 }, "SIGNET_SEED=\(seed)")
        }
        #expect(damaged > 0)
    }

    @Test(arguments: Journal.Options.Storage.both, UpkeepPlace.allCases)
    func aJournalNeverMakesAnythingUp(storage: Journal.Options.Storage, upkeep: UpkeepPlace) throws {
        for seed in SeededGenerator.seeds(300) {
            var generator = SeededGenerator(seed: seed)
            var folder = try TemporaryFolder()
            let works = upkeep.makeWorks()
            let journal = try Journal(directory: folder.path, segmentBytes: 300, storage: storage, works: works)
            for number in UInt64(1)...30 {
                _ = try journal.append(stamp: bytes("s"), payload: bytes("payload \(number)"))
                if number.isMultiple(of: 4) { try journal.acknowledge([number - 1, number - 3]) }
                if let works, Bool.random(using: &generator) { works.run() }
            }
            // A kill leaves what a close tidies up: the next file, and full ones that are not cut.
            if upkeep == .aside { folder = try TemporaryFolder(imageOf: folder) }
            journal.close()
            try self.damage(folder, &generator)
            let after = upkeep.makeWorks()
            let again = try Journal(directory: folder.path, segmentBytes: 300, storage: storage, works: after)
            let frames = try again.frames(after: 0, limit: 100)
            for frame in frames {
                #expect(frame.stamp == bytes("s"), "SIGNET_SEED=\(seed)")
                #expect(frame.payload == bytes("payload \(frame.sequence)"), "SIGNET_SEED=\(seed)")
            }
            #expect(frames.map(\.sequence) == frames.map(\.sequence).sorted(), "SIGNET_SEED=\(seed)")
            #expect(Set(frames.map(\.sequence)).count == frames.count, "SIGNET_SEED=\(seed)")
            after?.run()
            let new = try again.append(stamp: [], payload: [])
            #expect(frames.allSatisfy { $0.sequence < new }, "SIGNET_SEED=\(seed)")
            again.close()
            let third = try Journal(directory: folder.path, segmentBytes: 300, storage: storage)
            let shown = try third.frames(after: 0, limit: 100).map(\.sequence)
            #expect(shown == frames.map(\.sequence) + [new], "SIGNET_SEED=\(seed)")
            #expect(third.recovery.damagedRecords == 0, "SIGNET_SEED=\(seed)")
            #expect(third.recovery.tornBytes == 0, "SIGNET_SEED=\(seed)")
            #expect(third.recovery.setAsideFiles.isEmpty, "SIGNET_SEED=\(seed)")
        }
    }
}
