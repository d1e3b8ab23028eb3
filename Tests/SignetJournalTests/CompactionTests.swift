// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

struct CompactionTests {
    /// A log with a snapshot, several files, outdated records and removed keys.
    private func makeLog(_ folder: TemporaryFolder, _ faults: FaultyDisk = FaultyDisk()) throws -> StateLog {
        var options = StateLog.Options()
        options.fileBytes = 150
        options.compactionBytes = 100
        options.disk = faults.disk
        let log = try StateLog(directory: folder.path, options: options)
        for number in 0..<20 {
            try SampleLog.put("\(number % 4 == 0 ? "due " : "")old \(number)", for: "key \(number % 8)", in: log)
        }
        try log.compact()
        for number in 0..<20 {
            try SampleLog.put("\(number % 3 == 0 ? "due " : "")new \(number)", for: "key \(number % 10)", in: log)
        }
        try log.remove(bytes("key 3"))
        try log.remove(bytes("key 7"))
        return log
    }

    private func expectImage(
        of folder: TemporaryFolder,
        says state: [String: String],
        _ comment: Comment,
        change: (TemporaryFolder) throws -> Void = { _ in }
    ) throws {
        let image = try TemporaryFolder(imageOf: folder)
        try change(image)
        var clean = RecoveryReport()
        clean.records = state.count
        for _ in 0..<2 {
            let log = try StateLog(directory: image.path)
            #expect(try SampleLog.state(of: log) == state, comment)
            #expect(log.recovery == clean, comment)
            log.close()
        }
        // A later compaction must not bring anything back either.
        let log = try StateLog(directory: image.path)
        try log.compact()
        #expect(try SampleLog.state(of: log) == state, comment)
        log.close()
        #expect(try SampleLog.state(of: StateLog(directory: image.path)) == state, comment)
        #expect(try image.names("log", "tmp").isEmpty, comment)
        #expect(try image.names("snapshot").count == 1, comment)
    }

    @Test func compactionKeepsTheStateAndOnlyItsBytes() throws {
        let folder = try TemporaryFolder()
        let log = try self.makeLog(folder)
        let state = try SampleLog.state(of: log)
        #expect(state.count == 8)
        #expect(log.needsCompaction)
        try log.compact()
        #expect(!log.needsCompaction)
        #expect(try SampleLog.state(of: log) == state)
        #expect(try folder.names("log", "tmp").isEmpty)
        let snapshots = try folder.names("snapshot")
        #expect(snapshots.count == 1)
        let content = String(decoding: try folder.contents(of: #require(snapshots.first)), as: UTF8.self)
        #expect(!content.contains("old"))
        #expect(!content.contains("key 3"))
        #expect(content.contains("new 19"))
    }

    @Test func aCrashBetweenAnyTwoStepsLosesNothing() throws {
        let folder = try TemporaryFolder()
        let log = try self.makeLog(folder)
        var state = try SampleLog.state(of: log)
        func change(_ step: String, removing key: String) throws {
            // The first of them makes a due record of one that is not, the next one the other way round.
            let value = SampleLog.isDue(state["key 1", default: ""]) ? "during \(step)" : "due during \(step)"
            try SampleLog.put(value, for: "key 1", in: log)
            try log.put(bytes(step), for: bytes("step"))
            try log.remove(bytes(key))
            state["key 1"] = value
            state["step"] = step
            state[key] = nil
        }
        try self.expectImage(of: folder, says: state, "before")
        var compaction = try log.makeCompaction()
        try self.expectImage(of: folder, says: state, "sealed")
        try change("sealed", removing: "key 4")
        try self.expectImage(of: folder, says: state, "sealed, and changed")
        try compaction.write()
        try self.expectImage(of: folder, says: state, "written")
        let unfinished = try #require(folder.names("tmp").first)
        let written = try folder.contents(of: unfinished)
        for size in stride(from: 0, to: written.count, by: 7) {
            try self.expectImage(of: folder, says: state, "written up to \(size)") { image in
                try image.store(Array(written[..<size]), as: unfinished)
            }
        }
        try change("written", removing: "key 5")
        try self.expectImage(of: folder, says: state, "written, and changed")
        let sources = try folder.names("log", "snapshot")
        try compaction.publish()
        try self.expectImage(of: folder, says: state, "published")
        try change("published", removing: "key 6")
        try compaction.adopt()
        #expect(try SampleLog.state(of: log) == state)
        try self.expectImage(of: folder, says: state, "adopted")
        try change("adopted", removing: "key 8")
        // The removal of names can reach the medium in any order.
        let removable = sources.filter { $0 < "\(unfinished.prefix(16))" }
        #expect(removable.count > 3)
        for count in 0...removable.count {
            try self.expectImage(of: folder, says: state, "oldest \(count) removed") { image in
                for name in removable.prefix(count) { try image.remove(name) }
            }
            try self.expectImage(of: folder, says: state, "newest \(count) removed") { image in
                for name in removable.suffix(count) { try image.remove(name) }
            }
        }
        try compaction.removeSources()
        try self.expectImage(of: folder, says: state, "removed")
        try change("removed", removing: "key 9")
        #expect(try SampleLog.state(of: log) == state)
        try self.expectImage(of: folder, says: state, "done")
    }

    @Test func aDamagedSnapshotIsFilledFromTheFilesThatItReplacesWhileTheyAreThere() throws {
        let folder = try TemporaryFolder()
        let log = try self.makeLog(folder)
        let state = try SampleLog.state(of: log)
        var compaction = try log.makeCompaction()
        try compaction.write()
        try compaction.publish()
        let snapshot = try #require(folder.names("snapshot").last)
        let content = try folder.contents(of: snapshot)
        for position in stride(from: 80, to: content.count, by: 5) {
            let image = try TemporaryFolder(imageOf: folder)
            var damaged = content
            damaged[position] ^= 0x20
            try image.store(damaged, as: snapshot)
            let again = try StateLog(directory: image.path)
            #expect(try SampleLog.state(of: again) == state, "byte \(position)")
            #expect(again.recovery.damagedRecords == 1, "byte \(position)")
            again.close()
            let third = try StateLog(directory: image.path)
            #expect(third.recovery.damagedRecords == 0, "byte \(position)")
            try third.compact()
            #expect(try SampleLog.state(of: third) == state, "byte \(position)")
            third.close()
            #expect(try SampleLog.state(of: StateLog(directory: image.path)) == state, "byte \(position)")
        }
    }

    @Test func aSnapshotWithoutItsEndIsCountedOnce() throws {
        let folder = try TemporaryFolder()
        let log = try self.makeLog(folder)
        try log.compact()
        log.close()
        let snapshot = try #require(folder.names("snapshot").first)
        let content = try folder.contents(of: snapshot)
        try folder.store(Array(content.dropLast(24)), as: snapshot)
        let again = try StateLog(directory: folder.path)
        #expect(again.count == 8)
        #expect(again.recovery.damagedRecords == 1)
        again.close()
        #expect(try StateLog(directory: folder.path).recovery.damagedRecords == 0)
    }

    @Test func aRecordThatIsFoundDamagedGivesWayToTheOneBefore() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        try SampleLog.put("due first", for: "k", in: log)
        try log.put(bytes("second"), for: bytes("k"))
        try log.put(bytes("only"), for: bytes("l"))
        try log.put(bytes("lost"), for: bytes("m"))
        try log.remove(bytes("m"))
        try log.put(bytes("again"), for: bytes("m"))
        try log.put(bytes("fine"), for: bytes("n"))
        var content = try folder.contents(of: SampleLog.name)
        for value in ["second", "only", "again"] {
            let start = try #require(content.indices.first { content[$0...].starts(with: bytes(value)) })
            content[start] ^= 1
        }
        try folder.store(content, as: SampleLog.name)
        try log.compact()
        #expect(log.damagedRecords == 3)
        #expect(try SampleLog.state(of: log) == ["k": "due first", "n": "fine"])
        #expect(log.count == 2)
        log.close()
        let again = try StateLog(directory: folder.path)
        #expect(try SampleLog.state(of: again) == ["k": "due first", "n": "fine"])
        #expect(try folder.names("damaged") == ["\(SampleLog.name).damaged"])
    }

    @Test func aFullDiskLeavesTheOldFilesInUse() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let log = try self.makeLog(folder, faults)
        let state = try SampleLog.state(of: log)
        let names = try folder.names("log", "snapshot")
        faults.fail { call, name, _ in call == .write && name.hasSuffix("snapshot.tmp") ? .failure(28) : nil }
        #expect(try errorCode { try log.compact() } == .diskFull)
        #expect(try folder.names("log", "snapshot", "tmp") == names)
        #expect(try SampleLog.state(of: log) == state)
        faults.reset()
        try log.compact()
        #expect(try SampleLog.state(of: log) == state)
        #expect(try folder.names("log", "snapshot").count == 1)
    }

    @Test func everyFailingCallLeavesTheStateAsItWas() throws {
        var failures = 0
        for call in Disk.Call.allCases {
            for position in 1...40 {
                let folder = try TemporaryFolder()
                let faults = FaultyDisk()
                let log = try self.makeLog(folder, faults)
                let state = try SampleLog.state(of: log)
                faults.fail { asked, _, count in asked == call && count == position ? .failure(5) : nil }
                let code = try errorCode { try log.compact() }
                if faults.count(call) < position { break }
                if code != nil { failures += 1 }
                faults.reset()
                #expect(try SampleLog.state(of: log) == state, "\(call) \(position)")
                try self.expectImage(of: folder, says: state, "\(call) \(position)")
                try log.compact()
                #expect(try SampleLog.state(of: log) == state, "\(call) \(position)")
                #expect(try folder.names("log", "snapshot", "tmp").count == 1, "\(call) \(position)")
            }
        }
        #expect(failures > 10)
    }

    @Test func putsAndReadsGoOnMeanwhile() async throws {
        let folder = try TemporaryFolder()
        var options = StateLog.Options()
        options.fileBytes = 10_000
        let log = try StateLog(directory: folder.path, options: options)
        for number in 0..<1000 {
            try log.put(bytes("start"), for: bytes("key \(number)"))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<20 {
                    try log.compact()
                    await Task.yield()
                }
            }
            for writer in 0..<3 {
                group.addTask {
                    for round in 0..<10 {
                        for number in stride(from: writer, to: 1000, by: 3) {
                            let key = bytes("key \(number)")
                            if (number + round).isMultiple(of: 7) {
                                try log.remove(key)
                                #expect(try log.value(for: key) == nil)
                            } else {
                                let value = (round.isMultiple(of: 2) ? "" : "due ") + "\(number) in \(round)"
                                try SampleLog.put(value, for: "key \(number)", in: log)
                                #expect(try log.value(for: key) == bytes(value))
                                #expect(log.isDue(key) == !round.isMultiple(of: 2))
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        var expected: [String: String] = [:]
        for number in 0..<1000 where !(number + 9).isMultiple(of: 7) {
            expected["key \(number)"] = "due \(number) in 9"
        }
        #expect(try SampleLog.state(of: log) == expected)
        log.close()
        let again = try StateLog(directory: folder.path)
        #expect(again.recovery.damagedRecords == 0)
        #expect(try SampleLog.state(of: again) == expected)
    }

    @Test func closingStopsACompaction() async throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        for number in 0..<5000 {
            try log.put(bytes("value"), for: bytes("key \(number)"))
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    while true {
                        try log.compact()
                        await Task.yield()
                    }
                } catch {
                    #expect((error as? StorageError)?.code == .closed)
                }
            }
            group.addTask { log.close() }
        }
        let again = try StateLog(directory: folder.path)
        #expect(again.count == 5000)
        #expect(try folder.names("tmp").isEmpty)
    }
}
