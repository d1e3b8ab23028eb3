// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

/// A small log file whose every byte is known, and what it says when some of its frames are lost.
///
/// In all tests that look at a log with it, a record is due exactly if its value begins with `due`.
struct SampleLog {
    struct Operation {
        var key: String
        /// Nil removes the key.
        var value: String?

        var length: Int { 24 + self.key.utf8.count + (self.value?.utf8.count ?? 0) }
    }

    static let name = "0000000000000001.log"
    static let headerSize = 80

    let operations: [Operation] = [
        Operation(key: "a", value: "first value of a"),
        Operation(key: "b", value: "due, value of b"),
        Operation(key: "a", value: "due, second value of a"),
        Operation(key: "c", value: "value of c"),
        Operation(key: "b", value: nil),
        Operation(key: "c", value: ""),
        Operation(key: "dd", value: "due, value of d"),
    ]

    /// All bytes of the file.
    let file: [UInt8]

    init() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        for operation in self.operations {
            if let value = operation.value {
                try Self.put(value, for: operation.key, in: log)
            } else {
                try log.remove(bytes(operation.key))
            }
        }
        self.file = try folder.contents(of: Self.name)
    }

    /// Where each frame begins, and where the last one ends.
    var offsets: [Int] {
        self.operations.reduce(into: [Self.headerSize]) { $0.append(($0.last ?? 0) + $1.length) }
    }

    /// The frame that a byte belongs to; nil for the header.
    func frame(of byte: Int) -> Int? {
        self.offsets.lastIndex { $0 <= byte }
    }

    /// The state when only some frames count.
    func state(where counts: (Int) -> Bool) -> [String: String] {
        var state: [String: String] = [:]
        for (index, operation) in self.operations.enumerated() where counts(index) {
            state[operation.key] = operation.value
        }
        return state
    }

    /// Whether the record of a value is due.
    static func isDue(_ value: String) -> Bool {
        value.hasPrefix("due")
    }

    /// Sets a value, whose record is due if it says so.
    static func put(_ value: String, for key: String, in log: StateLog) throws(StorageError) {
        try log.put(bytes(value), for: bytes(key), isDue: self.isDue(value))
    }

    /// What a log says; it also holds what is due against the values.
    static func state(of log: StateLog) throws -> [String: String] {
        var state: [String: String] = [:]
        for key in try log.keys(withPrefix: []) {
            state[String(decoding: key, as: UTF8.self)] = try log.value(for: key).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        let expected = state.filter { self.isDue($0.value) }
        for key in state.keys { #expect(log.isDue(bytes(key)) == (expected[key] != nil), "\(key)") }
        #expect(log.dueCount == expected.count)
        #expect(try self.due(in: log) == expected)
        return state
    }

    /// The due records of all parts; each is in one part only.
    static func due(in log: StateLog) throws -> [String: String] {
        var due: [String: String] = [:]
        for part in 0..<StateLog.duePartCount {
            for (key, value) in try log.dueRecords(part: part) {
                let old = due.updateValue(
                    String(decoding: value, as: UTF8.self),
                    forKey: String(decoding: key, as: UTF8.self)
                )
                #expect(old == nil)
            }
        }
        return due
    }
}
