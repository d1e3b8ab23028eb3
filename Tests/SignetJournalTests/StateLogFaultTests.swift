// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetTestSupport
import Testing

/// The disk fails at each call in turn, once or from then on; what was reported must be true.
struct StateLogFaultTests {
    /// What a key may have: a change that failed may come back with a restart only if its bytes could not be cut off.
    private struct Model {
        var sure: [String: String] = [:]
        var failed: [String: Set<String?>] = [:]

        mutating func take(_ key: String, _ value: String?, succeeded: Bool) {
            if succeeded {
                self.sure[key] = value
                self.failed[key] = nil
            } else {
                self.failed[key, default: []].insert(value)
            }
        }
    }

    private func change(_ log: StateLog, _ number: Int, _ model: inout Model) {
        let key = "key \(number % 4)"
        let value = number.isMultiple(of: 5) ? nil : number % 8 < 4 ? "due \(number)" : "value \(number)"
        do throws(StorageError) {
            if let value {
                try SampleLog.put(value, for: key, in: log)
                model.take(key, value, succeeded: true)
            } else {
                try log.remove(bytes(key))
                model.take(key, value, succeeded: true)
            }
        } catch {
            model.take(key, value, succeeded: false)
            #expect([.diskFull, .diskFailed].contains(error.code), "\(error)")
        }
    }

    private func run(
        _ comment: String,
        fileBytes: Int = 200,
        _ rule: @escaping @Sendable (Disk.Call, String, Int) -> Disk.Fault?
    ) throws -> Int {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        var options = StateLog.Options()
        options.fileBytes = fileBytes
        options.disk = faults.disk
        let log = try StateLog(directory: folder.path, options: options)
        var model = Model()
        for number in 1...10 { self.change(log, number, &model) }
        faults.fail(rule)
        for number in 11...40 {
            self.change(log, number, &model)
            if number.isMultiple(of: 10) { _ = try errorCode { try log.sync() } }
            if number == 25 { _ = try errorCode { try log.compact() } }
        }
        let asked = Disk.Call.allCases.map { faults.count($0) }.reduce(0, +)
        faults.reset()
        #expect(try SampleLog.state(of: log) == model.sure, "\(comment), running")
        for number in 41...50 { self.change(log, number, &model) }
        #expect(try SampleLog.state(of: log) == model.sure, "\(comment), healed")
        let image = try TemporaryFolder(imageOf: folder)
        let again = try StateLog(directory: image.path)
        let state = try SampleLog.state(of: again)
        for key in Set(state.keys).union(model.sure.keys) where state[key] != model.sure[key] {
            #expect(model.failed[key]?.contains(state[key]) == true, "\(comment), \(key) after a restart")
        }
        #expect(again.recovery.damagedRecords <= 1, "\(comment)")
        // Healed, it takes changes and flushes as ever.
        try log.sync()
        try log.compact()
        #expect(try SampleLog.state(of: log) == model.sure, "\(comment), compacted")
        log.close()
        #expect(try SampleLog.state(of: StateLog(directory: folder.path)) == model.sure, "\(comment), reopened")
        return asked
    }

    @Test func eachCallFailsOnce() throws {
        for error: Int32 in [5, 28] {
            var position = 1
            while true {
                let counter = Locked(0)
                let last = position
                let asked = try self.run("call \(position) gives \(error)") { _, _, _ in
                    counter.withLock { count in
                        count += 1
                        return count == last ? .failure(error) : nil
                    }
                }
                position += TestScale.count(quick: 4, full: 1)
                if position > asked { break }
            }
            #expect(position > 60)
        }
    }

    @Test func eachKindOfCallFailsFromSomeMomentOn() throws {
        for call in Disk.Call.allCases where call != .read {
            for position in stride(from: 1, through: 12, by: TestScale.count(quick: 4, full: 1)) {
                for fileBytes in [200, 1 << 20] {
                    let comment = "\(call) fails from \(position) on, files of \(fileBytes)"
                    _ = try self.run(comment, fileBytes: fileBytes) { asked, _, count in
                        asked == call && count >= position ? .failure(5) : nil
                    }
                }
            }
        }
    }

    @Test func writesAndCutsFailTogether() throws {
        for position in stride(from: 1, through: 30, by: TestScale.count(quick: 5, full: 1)) {
            for short in [0, 1, 23, 30, 60] {
                let counter = Locked(0)
                _ = try self.run("write \(position) is short (\(short)), no cut") { asked, _, _ in
                    counter.withLock { count in
                        switch asked {
                        case .truncate: return .failure(5)
                        case .write:
                            count += 1
                            if count == position, short > 0 { return .short(short) }
                            return count == position || count == position + 1 ? .failure(5) : nil
                        default: return nil
                        }
                    }
                }
            }
        }
    }

    @Test func shortWritesAreCompleted() throws {
        for limit in [1, 2, 7, 50] {
            _ = try self.run("at most \(limit) bytes a write") { asked, _, _ in asked == .write ? .short(limit) : nil }
        }
    }

    @Test func aFailedPutLeavesTheValueBefore() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        var options = StateLog.Options()
        options.disk = faults.disk
        let log = try StateLog(directory: folder.path, options: options)
        try log.put(bytes("before"), for: bytes("k"))
        let size = try folder.contents(of: SampleLog.name).count
        faults.fail { call, _, count in
            guard call == .write else { return nil }
            return count == 1 ? .short(10) : .failure(28)
        }
        #expect(try errorCode { try log.put(bytes("after"), for: bytes("k")) } == .diskFull)
        #expect(try log.value(for: bytes("k")) == bytes("before"))
        #expect(try folder.contents(of: SampleLog.name).count == size)
        faults.reset()
        try log.put(bytes("after"), for: bytes("k"))
        #expect(try log.value(for: bytes("k")) == bytes("after"))
    }

    @Test func whereAFailedWriteCannotBeCutOffANewFileGoesOn() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        var options = StateLog.Options()
        options.disk = faults.disk
        let log = try StateLog(directory: folder.path, options: options)
        try log.put(bytes("before"), for: bytes("k"))
        let counter = Locked(0)
        faults.fail { call, _, _ in
            if call == .truncate { return .failure(5) }
            guard call == .write else { return nil }
            return counter.withLock { count in
                count += 1
                return count == 1 ? .short(10) : count == 2 ? .failure(5) : nil
            }
        }
        #expect(try errorCode { try log.put(bytes("failed"), for: bytes("k")) } == .diskFailed)
        try log.put(bytes("after"), for: bytes("l"))
        #expect(try folder.names("log").count == 2)
        log.close()
        let again = try StateLog(directory: folder.path)
        #expect(try SampleLog.state(of: again) == ["k": "before", "l": "after"])
        #expect(again.recovery.damagedRecords == 1)
    }

    @Test func aStartOnAFullDiskReadsAndKeepsATornEndWhereItIs() throws {
        let sample = try SampleLog()
        let folder = try TemporaryFolder()
        try folder.store(sample.file + bytes("torn"), as: SampleLog.name)
        let faults = FaultyDisk()
        faults.fail { call, _, _ in call == .write ? .failure(28) : nil }
        var options = StateLog.Options()
        options.disk = faults.disk
        let log = try StateLog(directory: folder.path, options: options)
        #expect(try SampleLog.state(of: log) == sample.state { _ in true })
        #expect(log.recovery.tornBytes == 4)
        #expect(try folder.contents(of: SampleLog.name) == sample.file + bytes("torn"))
        #expect(try errorCode { try log.put(bytes("v"), for: bytes("k")) } == .diskFull)
        faults.reset()
        try log.put(bytes("v"), for: bytes("k"))
        log.close()
        let again = try StateLog(directory: folder.path)
        #expect(try SampleLog.state(of: again) == sample.state { _ in true }.merging(["k": "v"]) { $1 })
    }
}
