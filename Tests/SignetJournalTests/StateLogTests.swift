// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

struct StateLogTests {
    @Test func theNewestValueOfAKeyCounts() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        try log.put(bytes("one"), for: bytes("k"))
        try log.put(bytes("two"), for: bytes("k"))
        try log.put(bytes("other"), for: bytes("l"))
        #expect(try log.value(for: bytes("k")) == bytes("two"))
        #expect(log.count == 2)
        log.close()
        let again = try StateLog(directory: folder.path)
        #expect(try again.value(for: bytes("k")) == bytes("two"))
        #expect(try again.value(for: bytes("l")) == bytes("other"))
        #expect(again.count == 2)
        #expect(again.recovery.records == 2)
    }

    @Test func aRemovedKeyStaysRemovedAfterARestart() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        try log.put(bytes("one"), for: bytes("k"))
        try log.remove(bytes("k"))
        #expect(try log.value(for: bytes("k")) == nil)
        #expect(!log.contains(bytes("k")))
        log.close()
        let again = try StateLog(directory: folder.path)
        #expect(try again.value(for: bytes("k")) == nil)
        #expect(again.count == 0)
    }

    @Test func removingAnUnknownKeyWritesNothing() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        try log.put(bytes("one"), for: bytes("k"))
        let before = try folder.contents(of: "0000000000000001.log")
        try log.remove(bytes("unknown"))
        #expect(try folder.contents(of: "0000000000000001.log") == before)
    }

    @Test func aRecordHasItsPlaceUntilItIsChangedOrMoved() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        var options = StateLog.Options()
        options.disk = faults.disk
        let log = try StateLog(directory: folder.path, options: options)
        #expect(log.place(of: bytes("k")) == nil)
        var places: Set<RecordPlace> = []
        func isNewPlace() -> Bool { log.place(of: bytes("k")).map { places.insert($0).inserted } ?? false }
        try log.put(bytes("same"), for: bytes("k"))
        #expect(isNewPlace())
        try log.put(bytes("other"), for: bytes("l"))
        faults.reset()
        #expect(!isNewPlace())
        #expect(faults.asked.isEmpty)
        try log.put(bytes("same"), for: bytes("k"))
        #expect(isNewPlace())
        // Files come and go, and their slots in memory are used again.
        for _ in 0..<8 {
            try log.compact()
            #expect(isNewPlace())
            try log.remove(bytes("k"))
            #expect(log.place(of: bytes("k")) == nil)
            try log.put(bytes("same"), for: bytes("k"))
            #expect(isNewPlace())
        }
    }

    @Test func aReadTouchesOnlyItsRecord() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        var options = StateLog.Options()
        options.disk = faults.disk
        let log = try StateLog(directory: folder.path, options: options)
        for number in 0..<100 {
            try log.put(bytes("value \(number)"), for: bytes("key \(number)"))
        }
        faults.reset()
        #expect(try log.value(for: bytes("key 42")) == bytes("value 42"))
        #expect(faults.asked.map(\.call) == [.read])
        faults.reset()
        #expect(log.contains(bytes("key 42")))
        #expect(try log.value(for: bytes("unknown")) == nil)
        #expect(faults.asked.isEmpty)
    }

    @Test func keysAndValuesUpToTheLimitAreKept() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        let key = [UInt8](repeating: 0xF5, count: 1 << 10)
        let value = [UInt8](repeating: 0xF5, count: 16 << 20)
        try log.put(value, for: key)
        try log.put([], for: [])
        log.close()
        let again = try StateLog(directory: folder.path)
        #expect(try again.value(for: key) == value)
        #expect(try again.value(for: []) == [])
        #expect(Set(try again.keys(withPrefix: [])) == [key, []])
    }

    @Test func whatIsBeyondALimitIsRefusedAndNothingIsWritten() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        let longKey = [UInt8](repeating: 1, count: 1 << 10 + 1)
        let longValue = [UInt8](repeating: 1, count: 16 << 20 + 1)
        #expect(try errorCode { try log.put([], for: longKey) } == .tooLarge)
        #expect(try errorCode { try log.put(longValue, for: [1]) } == .tooLarge)
        #expect(log.count == 0)
        #expect(try folder.names("log").isEmpty)
    }

    @Test func keysAreFoundByTheirPrefix() throws {
        let folder = try TemporaryFolder()
        var options = StateLog.Options()
        options.fileBytes = 300
        let log = try StateLog(directory: folder.path, options: options)
        for number in 0..<50 {
            try log.put(bytes("v\(number)"), for: bytes("user/\(number)"))
            try log.put(bytes("w"), for: bytes("installation/\(number)"))
        }
        try log.put(bytes("new"), for: bytes("user/7"))
        try log.remove(bytes("user/8"))
        let expected = Set((0..<50).filter { $0 != 8 }.map { bytes("user/\($0)") })
        let found = try log.keys(withPrefix: bytes("user/"))
        #expect(found.count == 49)
        #expect(Set(found) == expected)
        #expect(try log.keys(withPrefix: bytes("user/7")) == [bytes("user/7")])
        #expect(try log.keys(withPrefix: bytes("nobody")) == [])
        #expect(try log.keys(withPrefix: []).count == log.count)
    }

    @Test func keysOfAnotherFirstByteAreNotRead() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        var options = StateLog.Options()
        options.disk = faults.disk
        let log = try StateLog(directory: folder.path, options: options)
        for number in 0..<5000 { try log.put([UInt8](repeating: 1, count: 300), for: bytes("i\(number)")) }
        try log.put([], for: bytes("b1"))
        faults.reset()
        #expect(try log.keys(withPrefix: bytes("t")).isEmpty)
        #expect(faults.count(.read) == 0)
        #expect(try log.keys(withPrefix: bytes("b")) == [bytes("b1")])
        #expect(faults.count(.read) == 1)
        #expect(try log.keys(withPrefix: bytes("i")).count == 5000)
    }

    @Test func fullFilesAreSealedAndAllAreReadAgain() throws {
        let folder = try TemporaryFolder()
        var options = StateLog.Options()
        options.fileBytes = 200
        let log = try StateLog(directory: folder.path, options: options)
        for number in 0..<30 {
            try log.put(bytes("value \(number)"), for: bytes("key \(number % 10)"))
        }
        #expect(try folder.names("log").count > 3)
        log.close()
        let again = try StateLog(directory: folder.path, options: options)
        for number in 0..<10 {
            #expect(try again.value(for: bytes("key \(number)")) == bytes("value \(20 + number)"))
        }
    }

    @Test func aClosedLogSaysSo() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        try log.put(bytes("v"), for: bytes("k"))
        log.close()
        log.close()
        #expect(try errorCode { try log.put([], for: [1]) } == .closed)
        #expect(try errorCode { try log.remove(bytes("k")) } == .closed)
        #expect(try errorCode { _ = try log.value(for: bytes("k")) } == .closed)
        #expect(try errorCode { _ = try log.keys(withPrefix: []) } == .closed)
        #expect(try errorCode { try log.compact() } == .closed)
        #expect(try errorCode { try log.sync() } == .closed)
        #expect(log.count == 0)
        #expect(!log.contains(bytes("k")))
        #expect(!log.needsCompaction)
    }

    @Test func filesAre0600() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path(of: "state"))
        try log.put(bytes("v"), for: bytes("k"))
        try log.compact()
        try log.put(bytes("v"), for: bytes("k"))
        #expect(try folder.mode(of: "state") == 0o700)
        for name in ["0000000000000002.snapshot", "0000000000000003.log", "state.lock", "state.spare"] {
            #expect(try folder.mode(of: "state/\(name)") == 0o600, "\(name)")
        }
    }

    @Test func manyThreadsPutAndReadWithoutMixingUp() async throws {
        let folder = try TemporaryFolder()
        var options = StateLog.Options()
        options.fileBytes = 20_000
        let log = try StateLog(directory: folder.path, options: options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        let key = bytes("\(writer)/\(number % 50)")
                        try log.put(bytes("\(writer)/\(number)"), for: key)
                        #expect(try log.value(for: key) == bytes("\(writer)/\(number)"))
                        if number.isMultiple(of: 100) { try log.sync() }
                    }
                }
            }
            try await group.waitForAll()
        }
        log.close()
        let again = try StateLog(directory: folder.path)
        #expect(again.count == 200)
        for writer in 0..<4 {
            for number in 450..<500 {
                #expect(try again.value(for: bytes("\(writer)/\(number % 50)")) == bytes("\(writer)/\(number)"))
            }
        }
    }
}
