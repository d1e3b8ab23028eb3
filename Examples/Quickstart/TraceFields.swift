//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// The members of one line of a trace, with errors that say where they stand.
struct TraceFields {
    let file: String
    let number: Int
    private let object: JSONObject

    /// Reads a line.
    init(_ bytes: [UInt8], file: String, number: Int) throws {
        self.file = file
        self.number = number
        do {
            let value = try JSONReader.read(bytes, limits: JSONLimits(bytes: 64 * 1024, depth: 8, values: 4096))
            guard let object = value.object else {
                throw TraceError(file: file, line: number, reason: "a line is a JSON object")
            }
            self.object = object
        } catch let error as JSONError {
            throw TraceError(file: file, line: number, reason: "not JSON: \(error.message) (byte \(error.offset))")
        }
    }

    /// An error of this line.
    func wrong(_ reason: String) -> TraceError {
        TraceError(file: self.file, line: self.number, reason: reason)
    }

    func has(_ key: String) -> Bool {
        self.object[key] != nil
    }

    func integer(_ key: String, in range: ClosedRange<Int64> = .min ... .max) throws -> Int64 {
        guard let number = self.object[key]?.number?.int64 else { throw self.wrong("\"\(key)\" is a whole number") }
        guard range.contains(number) else {
            throw self.wrong("\"\(key)\" is from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func optionalNumber(_ key: String) throws -> Double? {
        guard let value = self.object[key] else { return nil }
        guard let number = value.number?.double else { throw self.wrong("\"\(key)\" is a number") }
        return number
    }

    func text(_ key: String) throws -> String {
        guard let text = self.object[key]?.string, !text.isEmpty else {
            throw self.wrong("\"\(key)\" is a text that is not empty")
        }
        return text
    }

    func optionalText(_ key: String) throws -> String? {
        self.has(key) ? try self.text(key) : nil
    }

    func texts(_ key: String) throws -> [String] {
        guard let list = self.object[key]?.array else { throw self.wrong("\"\(key)\" is a list of texts") }
        return try list.map { value in
            guard let text = value.string, !text.isEmpty else { throw self.wrong("\"\(key)\" is a list of texts") }
            return text
        }
    }

    /// The members of an object; none when it is left out.
    func members(_ key: String) throws -> [(key: String, value: JSONValue)] {
        guard let value = self.object[key] else { return [] }
        guard let object = value.object else { throw self.wrong("\"\(key)\" is an object") }
        return object.map { ($0.key, $0.value) }
    }

    /// The objects of a list; none when it is left out.
    func objects(_ key: String) throws -> [JSONValue] {
        guard let value = self.object[key] else { return [] }
        guard let list = value.array, list.allSatisfy({ $0.object != nil }) else {
            throw self.wrong("\"\(key)\" is a list of objects")
        }
        return list
    }
}
