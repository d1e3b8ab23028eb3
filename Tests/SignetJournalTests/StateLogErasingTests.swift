// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import Testing

struct StateLogErasingTests {
    private static func fill(_ log: StateLog) throws {
        for number in 1...30 {
            let value = number % 3 == 0 ? "wanted \(number)" : "other \(number)"
            try log.put(bytes(value), for: bytes("key \(number % 12)"))
        }
        for number in 0..<12 {
            let key = bytes("key \(number)")
            if try log.value(for: key)?.starts(with: bytes("w")) == true { try log.remove(key) }
        }
    }

    private static func traces(in folder: TemporaryFolder) throws -> [String] {
        try folder.names().filter { name in
            let file = try folder.contents(of: name)
            return file.indices.contains { file[$0...].starts(with: bytes("wanted")) }
        }
    }

    @Test func noByteOfAnOldRecordIsLeft() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        try Self.fill(log)
        let state = try SampleLog.state(of: log)
        #expect(try !Self.traces(in: folder).isEmpty)
        #expect(try log.erase() == 0)
        #expect(try Self.traces(in: folder).isEmpty)
        #expect(try SampleLog.state(of: log) == state)
        log.close()
        #expect(try SampleLog.state(of: StateLog(directory: folder.path)) == state)
    }

    @Test func copiesOfDamageAndUnfinishedFilesGo() throws {
        let folder = try TemporaryFolder()
        let sample = try SampleLog()
        var damaged = sample.file
        damaged[sample.offsets[1] - 1] ^= 1
        try folder.store(damaged + bytes("wanted"), as: SampleLog.name)
        let log = try StateLog(directory: folder.path)
        #expect(try folder.names("torn", "damaged").count == 2)
        try folder.store(bytes("wanted"), as: "00000000000000ff.log.tmp")
        try folder.store(bytes("wanted"), as: "notes.txt")
        #expect(try log.erase() == 2)
        #expect(try Self.traces(in: folder) == ["notes.txt"])
    }

    @Test func aDiskThatFailsInTheMiddleCostsNothingAndTheNextCallFinishes() throws {
        for failing in 1...100 {
            let folder = try TemporaryFolder()
            let faults = FaultyDisk()
            var options = StateLog.Options()
            options.disk = faults.disk
            let log = try StateLog(directory: folder.path, options: options)
            try Self.fill(log)
            let state = try SampleLog.state(of: log)
            let count = Locked(0)
            faults.fail { call, _, _ in
                guard call != .read else { return nil }
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return number >= failing ? .failure(28) : nil
            }
            var hasFailed = false
            do throws(StorageError) {
                _ = try log.erase()
            } catch {
                hasFailed = true
                #expect(error.code == .diskFull)
            }
            faults.reset()
            if hasFailed { _ = try log.erase() }
            #expect(try Self.traces(in: folder).isEmpty, "call \(failing)")
            #expect(try SampleLog.state(of: log) == state, "call \(failing)")
            if !hasFailed { return #expect(failing > 5) }
        }
        Issue.record("The erasure never ended.")
    }
}
