// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetTestSupport
import Testing

/// What was flushed is there after a loss of power, whatever became of the rest.
struct PowerLossTests {
    /// A folder as a loss of power may leave it: what came after the flush is there in part, in any order.
    private func loss(
        of folder: TemporaryFolder,
        flushed: TemporaryFolder,
        _ generator: inout SeededGenerator
    ) throws -> TemporaryFolder {
        let image = try TemporaryFolder()
        let known = Set(try flushed.names())
        for name in try folder.names() {
            let isKnown = known.contains(name)
            // A name that no flush covered can be missing.
            if !isKnown, Bool.random(using: &generator) { continue }
            var safe = isKnown ? try flushed.contents(of: name) : []
            var content = try folder.contents(of: name)
            // Space that was reserved and never used is cut off when a file is full.
            while safe.last == 0, safe.count > content.count { safe.removeLast() }
            #expect(content.starts(with: safe) || name.hasSuffix(".journal"))
            // Nothing is lost before the first byte that was changed since the flush.
            safe.removeLast(safe.count - Array(zip(safe, content).prefix { $0 == $1 }).count)
            // The length and the sectors reach the disk on their own.
            if Bool.random(using: &generator) {
                content.removeLast(Int.random(in: 0...content.count - safe.count, using: &generator))
            }
            var sector = safe.count
            while sector < content.count {
                let end = min(content.count, (sector / 64 + 1) * 64)
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    content.replaceSubrange(sector..<end, with: [UInt8](repeating: 0, count: end - sector))
                }
                sector = end
            }
            try image.store(content, as: name)
        }
        return image
    }

    @Test func whatAStateLogFlushedIsThere() throws {
        var lost = 0
        for seed in SeededGenerator.seeds(150) {
            var generator = SeededGenerator(seed: seed)
            let folder = try TemporaryFolder()
            var options = StateLog.Options()
            options.fileBytes = [300, 3000].randomElement(using: &generator) ?? 300
            let log = try StateLog(directory: folder.path, options: options)
            var flushed: [String: String] = [:]
            var later: [String: Set<String?>] = [:]
            func change(_ number: Int) throws {
                let key = "key \(Int.random(in: 0..<10, using: &generator))"
                if number.isMultiple(of: 5) {
                    try log.remove(bytes(key))
                    later[key, default: []].insert(nil)
                } else {
                    let value = Bool.random(using: &generator) ? "due \(number)" : "value \(number)"
                    try SampleLog.put(value, for: key, in: log)
                    later[key, default: []].insert(value)
                }
            }
            for number in 0..<30 { try change(number) }
            if Bool.random(using: &generator) { try log.compact() }
            try log.sync()
            flushed = try SampleLog.state(of: log)
            later = [:]
            let safe = try TemporaryFolder(imageOf: folder)
            for number in 30..<50 { try change(number) }
            let image = try self.loss(of: folder, flushed: safe, &generator)
            let again = try StateLog(directory: image.path)
            let state = try SampleLog.state(of: again)
            for key in Set(flushed.keys).union(state.keys) where state[key] != flushed[key] {
                #expect(later[key]?.contains(state[key]) == true, "\(key), SIGNET_SEED=\(seed)")
            }
            if state != (try SampleLog.state(of: log)) { lost += 1 }
            again.close()
            let third = try StateLog(directory: image.path)
            #expect(try SampleLog.state(of: third) == state, "SIGNET_SEED=\(seed)")
            #expect(third.recovery.damagedRecords == 0, "SIGNET_SEED=\(seed)")
        }
        #expect(lost > 0)
    }

    @Test(arguments: Journal.Options.Storage.both, UpkeepPlace.allCases)
    func whatAJournalFlushedIsThere(storage: Journal.Options.Storage, upkeep: UpkeepPlace) throws {
        var recovered = 0
        let seeds = SeededGenerator.seeds(150)
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            let folder = try TemporaryFolder()
            let power = PowerDisk(folder)
            let works = upkeep.makeWorks()
            let journal = try Journal(
                directory: folder.path,
                segmentBytes: 400,
                storage: storage,
                works: works,
                disk: power.disk
            )
            func work() {
                if let works, Bool.random(using: &generator) { works.run() }
            }
            func append(_ count: Int) throws {
                for _ in 0..<count {
                    let payload = generator.bytes(0...50)
                    _ = try journal.append(stamp: payload.reversed(), payload: payload)
                    work()
                }
            }
            try append(20)
            try journal.acknowledge([1, 2, 3, 9])
            work()
            try journal.sync()
            let flushed = try journal.frames(after: 0, limit: 100)
            work()
            try append(20)
            try journal.acknowledge([6, 7, 22])
            work()
            let now = try journal.frames(after: 0, limit: 100)
            let image = try power.image(preparing: upkeep == .aside && storage == .automatic, &generator)
            let unbegun = try self.unbegun(image)
            let after = upkeep.makeWorks()
            let again = try Journal(directory: image.path, segmentBytes: 400, storage: storage, works: after)
            if try !unbegun.isDisjoint(with: image.names()) { recovered += 1 }
            let frames = try again.frames(after: 0, limit: 100)
            for frame in frames {
                #expect(frame.stamp == frame.payload.reversed(), "SIGNET_SEED=\(seed)")
            }
            // Acknowledged again or not, every other flushed frame is there, and nothing that never was.
            let numbers = Set(frames.map(\.sequence))
            #expect(
                numbers.isSuperset(of: flushed.map(\.sequence).filter { ![6, 7].contains($0) }),
                "SIGNET_SEED=\(seed)"
            )
            let known = flushed + now
            for frame in frames where frame.sequence != 22 {
                #expect(known.contains(frame), "\(frame.sequence), SIGNET_SEED=\(seed)")
            }
            after?.run()
            #expect(try again.frames(after: 0, limit: 100) == frames, "SIGNET_SEED=\(seed)")
            again.close()
            let third = try Journal(directory: image.path, segmentBytes: 400, storage: storage)
            #expect(try third.frames(after: 0, limit: 100) == frames, "SIGNET_SEED=\(seed)")
            #expect(third.recovery.damagedRecords == 0, "SIGNET_SEED=\(seed)")
        }
        // Frames behind a header that was lost.
        if upkeep == .aside, storage == .automatic, seeds.count >= 100 { #expect(recovered > 0) }
    }

    /// The journal files whose header says that they were not begun.
    private func unbegun(_ folder: TemporaryFolder) throws -> Set<String> {
        Set(
            try folder.names("journal").filter { name in
                let content = try folder.contents(of: name)
                guard case .known(let header) = FileHeader.read(Array(content.prefix(FileHeader.size))) else {
                    return false
                }
                return header.base == 0
            }
        )
    }
}
