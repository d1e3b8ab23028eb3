// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetTestSupport
import Testing

/// Random operations on a healthy and on a failing disk, compared with a list.
struct JournalModelTests {
    private struct Run {
        var generator: SeededGenerator
        var folder: TemporaryFolder
        var journal: Journal
        let faults = FaultyDisk()
        let segmentBytes: Int
        let storage: Journal.Options.Storage
        let upkeep: UpkeepPlace
        var works: WorkList?
        var live: [Journal.Frame] = []
        var last: UInt64 = 0
        var reached: [String: Int] = [:]

        init(seed: UInt64, _ storage: Journal.Options.Storage, _ upkeep: UpkeepPlace) throws {
            self.storage = storage
            self.upkeep = upkeep
            self.works = upkeep.makeWorks()
            self.generator = SeededGenerator(seed: seed)
            self.segmentBytes = [1, 200, 1000, 1 << 16].randomElement(using: &self.generator) ?? 1
            self.folder = try TemporaryFolder()
            self.journal = try Journal(
                directory: self.folder.path,
                segmentBytes: self.segmentBytes,
                storage: storage,
                works: self.works,
                disk: self.faults.disk
            )
        }

        /// Does the upkeep that waits, now and then.
        mutating func work() throws {
            guard let works = self.works, works.count > 0, Bool.random(using: &self.generator) else { return }
            works.run()
            self.reached["work", default: 0] += 1
            let hasPrepared = try self.folder.names("journal").contains { name in
                let content = try self.folder.contents(of: name)
                guard case .known(let header) = FileHeader.read(Array(content.prefix(FileHeader.size))) else {
                    return false
                }
                return header.base == 0
            }
            if hasPrepared { self.reached["prepared", default: 0] += 1 }
        }

        mutating func step() throws {
            try self.work()
            switch Int.random(in: 0..<100, using: &self.generator) {
            case ..<50:
                let stamp = self.generator.bytes(0...20)
                let payload = self.generator.bytes(0...60)
                do {
                    let sequence = try self.journal.append(stamp: stamp, payload: payload)
                    #expect(sequence > self.last)
                    self.last = sequence
                    self.live.append(Journal.Frame(sequence: sequence, stamp: stamp, payload: payload))
                    self.reached["append", default: 0] += 1
                } catch {
                    self.reached["failed", default: 0] += 1
                }
            case ..<75:
                let count = Int.random(in: 0...5, using: &self.generator)
                let sequences = self.live.shuffled(using: &self.generator).prefix(count).map(\.sequence)
                do {
                    try self.journal.acknowledge(sequences)
                    self.live.removeAll { sequences.contains($0.sequence) }
                    self.reached["acknowledge", default: 0] += 1
                } catch {
                    // Nothing was written, or all was written and only a file could not be removed.
                    let isLive = try sequences.map { try self.journal.frame($0) != nil }
                    #expect(Set(isLive).count <= 1)
                    if isLive.contains(false) { self.live.removeAll { sequences.contains($0.sequence) } }
                    self.reached["failed", default: 0] += 1
                }
            case ..<80:
                let code = try errorCode { try self.journal.sync() }
                #expect(code == nil || code == .diskFailed)
            case ..<88:
                // One call after the next ones fails.
                let position = Int.random(in: 1...4, using: &self.generator)
                let call = [Disk.Call.write, .sync, .syncFolder, .remove, .rename, .open, .reserve, .map].randomElement(
                    using: &self.generator
                )
                self.faults.fail { asked, _, count in asked == call && count == position ? .failure(5) : nil }
            case ..<92:
                self.faults.reset()
            case ..<96:
                self.reached["reopen", default: 0] += 1
                self.journal.close()
                try self.open()
            default:
                self.reached["crash", default: 0] += 1
                self.folder = try TemporaryFolder(imageOf: self.folder)
                try self.open()
            }
            #expect(self.journal.liveCount == self.live.count)
        }

        mutating func open() throws {
            self.faults.reset()
            self.works = self.upkeep.makeWorks()
            self.journal = try Journal(
                directory: self.folder.path,
                segmentBytes: self.segmentBytes,
                storage: self.storage,
                works: self.works,
                disk: self.faults.disk
            )
            #expect(self.journal.recovery.damagedRecords == 0)
            #expect(self.journal.recovery.tornBytes == 0)
            try self.compare()
        }

        func compare() throws {
            #expect(try self.journal.frames(after: 0, limit: 1000) == self.live)
        }
    }

    @Test(arguments: Journal.Options.Storage.both, UpkeepPlace.allCases)
    func randomSequencesAgreeWithAList(storage: Journal.Options.Storage, upkeep: UpkeepPlace) throws {
        let seeds = SeededGenerator.seeds(300)
        var reached: [String: Int] = [:]
        for seed in seeds {
            var run = try Run(seed: seed, storage, upkeep)
            do {
                for _ in 0..<80 { try run.step() }
                run.faults.reset()
                try run.compare()
                run.journal.close()
                try run.open()
            } catch {
                Issue.record(error, "SIGNET_SEED=\(seed)")
            }
            reached.merge(run.reached) { $0 + $1 }
        }
        guard seeds.count >= 30 else { return }
        // A failure of upkeep that is handed over goes to no call.
        var leasts = ["append": 5000, "acknowledge": 2000, "failed": 100, "reopen": 300, "crash": 300]
        if upkeep == .aside {
            leasts["failed"] = 30
            leasts["work"] = 1000
            if storage == .automatic { leasts["prepared"] = 100 }
        }
        for (name, least) in leasts {
            #expect(reached[name, default: 0] >= least * seeds.count / 300, "\(name)")
        }
    }
}
