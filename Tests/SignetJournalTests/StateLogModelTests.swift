// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetTestSupport
import Testing

/// Random operations, compared with a dictionary.
struct StateLogModelTests {
    private struct Value: Equatable {
        var bytes: [UInt8]
        var isDue: Bool
    }

    private struct Run {
        var generator: SeededGenerator
        var folder: TemporaryFolder
        var log: StateLog
        var model: [[UInt8]: Value] = [:]
        var reached: [String: Int] = [:]
        let options: StateLog.Options

        init(seed: UInt64) throws {
            self.generator = SeededGenerator(seed: seed)
            var options = StateLog.Options()
            options.fileBytes = [1, 100, 500, 5000, 1 << 20].randomElement(using: &self.generator) ?? 1
            options.compactionBytes = 500
            self.options = options
            self.folder = try TemporaryFolder()
            self.log = try StateLog(directory: self.folder.path, options: options)
        }

        mutating func key() -> [UInt8] {
            bytes(["a/", "b/", ""][Int.random(in: 0..<3, using: &self.generator)])
                + bytes(String(Int.random(in: 0..<6, using: &self.generator)))
        }

        mutating func step() throws {
            let choice = Int.random(in: 0..<100, using: &self.generator)
            switch choice {
            case ..<55:
                self.reached["put", default: 0] += 1
                let key = self.key()
                let value = Value(bytes: self.generator.bytes(0...60), isDue: .random(using: &self.generator))
                if value.isDue {
                    self.reached["due", default: 0] += 1
                    try self.log.put(value.bytes, for: key, isDue: true)
                } else {
                    if self.model[key]?.isDue == true { self.reached["settled", default: 0] += 1 }
                    try self.log.put(value.bytes, for: key)
                }
                self.model[key] = value
            case ..<75:
                self.reached["remove", default: 0] += 1
                let key = self.key()
                try self.log.remove(key)
                self.model[key] = nil
            case ..<85:
                let key = self.key()
                #expect(try self.log.value(for: key) == self.model[key]?.bytes)
                #expect(self.log.contains(key) == (self.model[key] != nil))
                #expect(self.log.isDue(key) == (self.model[key]?.isDue == true))
            case ..<88:
                self.reached["compact", default: 0] += 1
                if self.log.needsCompaction { self.reached["needs", default: 0] += 1 }
                try self.log.compact()
            case ..<90:
                try self.log.sync()
            case ..<93:
                let found = try self.log.keys(withPrefix: bytes("a/"))
                #expect(Set(found) == Set(self.model.keys.filter { $0.starts(with: bytes("a/")) }))
                #expect(found.count == Set(found).count)
            case ..<96:
                self.reached["reopen", default: 0] += 1
                self.log.close()
                try self.open()
                try self.compare()
            default:
                // As after `kill -9`: nothing was closed.
                self.reached["crash", default: 0] += 1
                self.folder = try TemporaryFolder(imageOf: self.folder)
                try self.open()
            }
            #expect(self.log.count == self.model.count)
            #expect(self.log.dueCount == self.model.values.count { $0.isDue })
        }

        mutating func open() throws {
            self.log = try StateLog(directory: self.folder.path, options: self.options)
            var clean = RecoveryReport()
            clean.records = self.model.count
            #expect(self.log.recovery == clean)
        }

        func compare() throws {
            #expect(Set(try self.log.keys(withPrefix: [])) == Set(self.model.keys))
            for (key, value) in self.model {
                #expect(try self.log.value(for: key) == value.bytes)
                #expect(self.log.isDue(key) == value.isDue)
            }
            var due: [[UInt8]: Value] = [:]
            for part in 0..<StateLog.duePartCount {
                for (key, value) in try self.log.dueRecords(part: part) {
                    #expect(due.updateValue(Value(bytes: value, isDue: true), forKey: key) == nil)
                }
            }
            #expect(due == self.model.filter { $0.value.isDue })
        }
    }

    @Test func randomSequencesAgreeWithADictionary() throws {
        let seeds = SeededGenerator.seeds(300)
        var reached: [String: Int] = [:]
        for seed in seeds {
            var run = try Run(seed: seed)
            do {
                for _ in 0..<80 { try run.step() }
                try run.compare()
                run.log.close()
                try run.open()
                try run.compare()
            } catch {
                Issue.record(error, "SIGNET_SEED=\(seed)")
            }
            reached.merge(run.reached) { $0 + $1 }
        }
        guard seeds.count >= 30 else { return }
        for (name, least) in [
            "put": 5000, "due": 2000, "settled": 500, "remove": 2000, "compact": 300, "needs": 20, "reopen": 300,
        ] {
            #expect(reached[name, default: 0] >= least * seeds.count / 300, "\(name)")
        }
        #expect(reached["crash", default: 0] >= seeds.count)
    }
}
