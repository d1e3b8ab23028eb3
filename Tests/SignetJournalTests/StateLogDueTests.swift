// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

/// The mark of due work belongs to the record, wherever the record goes.
struct StateLogDueTests {
    @Test func aDueRecordIsFoundAfterACompactionAndATornEnd() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        try SampleLog.put("due 1", for: "a", in: log)
        try SampleLog.put("rests", for: "b", in: log)
        try SampleLog.put("due 2", for: "c", in: log)
        try log.compact()
        #expect(try SampleLog.state(of: log) == ["a": "due 1", "b": "rests", "c": "due 2"])
        try SampleLog.put("due 3", for: "b", in: log)
        try SampleLog.put("rests again", for: "c", in: log)
        log.close()
        let name = try #require(folder.names("log").last)
        let whole = try folder.contents(of: name)
        // The last frame settles "c": without its end, "c" is due.
        for length in [whole.count - 1, whole.count - 20] {
            let image = try TemporaryFolder(imageOf: folder)
            try image.store(Array(whole[..<length]), as: name)
            let again = try StateLog(directory: image.path)
            #expect(again.recovery.tornBytes > 0)
            #expect(try SampleLog.state(of: again) == ["a": "due 1", "b": "due 3", "c": "due 2"])
            #expect(again.dueCount == 3)
            try again.compact()
            #expect(try SampleLog.due(in: again) == ["a": "due 1", "b": "due 3", "c": "due 2"])
            again.close()
            let third = try StateLog(directory: image.path)
            #expect(try SampleLog.due(in: third) == ["a": "due 1", "b": "due 3", "c": "due 2"])
        }
        let last = try StateLog(directory: folder.path)
        #expect(try SampleLog.due(in: last) == ["a": "due 1", "b": "due 3"])
    }

    @Test func theNextValueHasItsOwnMarkAndARemovalTakesItAway() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        let key = bytes("k")
        #expect(!log.isDue(key))
        try log.put(bytes("v"), for: key, isDue: true)
        #expect(log.isDue(key) && log.dueCount == 1)
        try log.put(bytes("v"), for: key, isDue: true)
        #expect(log.isDue(key) && log.dueCount == 1)
        try log.put(bytes("v"), for: key)
        #expect(!log.isDue(key) && log.dueCount == 0)
        try log.put(bytes("v"), for: key, isDue: true)
        try log.remove(key)
        #expect(!log.isDue(key) && log.dueCount == 0)
        try log.put(bytes("v"), for: key, isDue: false)
        #expect(!log.isDue(key))
        log.close()
        #expect(try !StateLog(directory: folder.path).isDue(key))
    }

    @Test func allPartsTogetherHaveEachDueRecordOnceInTheOrderOfTheirPlaces() throws {
        let folder = try TemporaryFolder()
        var options = StateLog.Options()
        options.fileBytes = 60_000
        let log = try StateLog(directory: folder.path, options: options)
        var expected: [String: String] = [:]
        for number in 0..<6000 {
            let value = number.isMultiple(of: 3) ? "due \(number)" : "rests \(number)"
            try SampleLog.put(value, for: "key \(number)", in: log)
            if number.isMultiple(of: 3) { expected["key \(number)"] = value }
        }
        try log.compact()
        // Moved to other files, and one of them no longer due.
        for number in stride(from: 0, to: 300, by: 3) {
            let value = number.isMultiple(of: 2) ? "due again \(number)" : "rests"
            try SampleLog.put(value, for: "key \(number)", in: log)
            expected["key \(number)"] = number.isMultiple(of: 2) ? value : nil
        }
        #expect(log.dueCount == expected.count)
        #expect(try SampleLog.due(in: log) == expected)
        var parts: Set<Int> = []
        for part in 0..<StateLog.duePartCount {
            let records = try log.dueRecords(part: part)
            if !records.isEmpty { parts.insert(part) }
            // What was written again lies in another file than the rest; in each file the numbers ascend.
            let values = records.map { String(decoding: $0.value, as: UTF8.self).split(separator: " ") }
            for words in [2, 3] {
                let numbers = values.filter { $0.count == words }.compactMap { $0.last.flatMap { Int($0) } }
                #expect(numbers == numbers.sorted())
            }
            #expect(zip(values, values.dropFirst()).count { $0.count != $1.count } <= 1)
        }
        // They are spread: a page is never most of them.
        #expect(parts.count > 200)
        #expect(try log.dueRecords(part: -1).isEmpty)
        #expect(try log.dueRecords(part: StateLog.duePartCount).isEmpty)
    }

    @Test func recordsThatLieTogetherAreReadTogether() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        var options = StateLog.Options()
        options.disk = faults.disk
        let log = try StateLog(directory: folder.path, options: options)
        for number in 0..<8000 { try SampleLog.put("due \(number)", for: "key \(number)", in: log) }
        faults.reset()
        let due = try SampleLog.due(in: log)
        #expect(due.count == 8000)
        // A part has each 256th record, and one has about 45 bytes: a third of them has its neighbour within a page.
        #expect((4000...6500).contains(faults.count(.read)))
        for number in 0..<8000 { try log.put([], for: bytes("key \(number)")) }
        faults.reset()
        #expect(try SampleLog.due(in: log).isEmpty)
        #expect(faults.count(.read) == 0)
    }

    @Test func aLongValueIsReadWhole() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        let long = [UInt8](repeating: 7, count: 3 << 20)
        for key in ["a", "b", "c"] { try log.put(long + bytes(key), for: bytes(key), isDue: true) }
        var found: [[UInt8]: [UInt8]] = [:]
        for part in 0..<StateLog.duePartCount {
            for record in try log.dueRecords(part: part) { found[record.key] = record.value }
        }
        #expect(found == [bytes("a"): long + bytes("a"), bytes("b"): long + bytes("b"), bytes("c"): long + bytes("c")])
    }

    @Test func aDamagedRecordIsLeftOutAndCountedOnce() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        try SampleLog.put("due 1", for: "a", in: log)
        try SampleLog.put("due 2", for: "b", in: log)
        var content = try folder.contents(of: SampleLog.name)
        content[content.count - 1] ^= 1
        try folder.store(content, as: SampleLog.name)
        for _ in 0..<2 {
            #expect(try SampleLog.due(in: log) == ["a": "due 1"])
            #expect(log.damagedRecords == 1)
        }
        #expect(log.dueCount == 2)
        #expect(try folder.names("damaged") == ["\(SampleLog.name).damaged"])
        try log.compact()
        #expect(log.dueCount == 1)
    }

    @Test func aReadErrorIsThrown() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        var options = StateLog.Options()
        options.disk = faults.disk
        let log = try StateLog(directory: folder.path, options: options)
        try SampleLog.put("due", for: "a", in: log)
        faults.fail { call, _, _ in call == .read ? .failure(5) : nil }
        #expect(try errorCode { _ = try SampleLog.due(in: log) } == .diskFailed)
        #expect(log.damagedRecords == 0)
    }

    @Test func aPutThatFailsLeavesTheMarkAsItWas() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        var options = StateLog.Options()
        options.disk = faults.disk
        let log = try StateLog(directory: folder.path, options: options)
        try SampleLog.put("due", for: "a", in: log)
        try SampleLog.put("rests", for: "b", in: log)
        faults.fail { call, _, _ in call == .write ? .failure(28) : nil }
        #expect(try errorCode { try SampleLog.put("rests", for: "a", in: log) } == .diskFull)
        #expect(try errorCode { try SampleLog.put("due", for: "b", in: log) } == .diskFull)
        faults.reset()
        #expect(try SampleLog.state(of: log) == ["a": "due", "b": "rests"])
    }

    @Test func aClosedLogHasNone() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        try SampleLog.put("due", for: "a", in: log)
        log.close()
        #expect(log.dueCount == 0)
        #expect(!log.isDue(bytes("a")))
        #expect(try errorCode { _ = try log.dueRecords(part: 0) } == .closed)
    }
}
