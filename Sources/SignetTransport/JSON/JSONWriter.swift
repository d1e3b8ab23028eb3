//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Writes JSON into bytes, without white space; it puts the commas.
///
/// The caller keeps begin and end in pairs, and gives each member a key and then a value; only debug builds check that.
/// Strings escape the quote, the backslash and control characters; everything else, U+2028 and `<` too, stays UTF-8.
package struct JSONWriter: Sendable {
    /// What was written so far.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false
    private var depth = 0

    /// Makes a writer.
    package init(reservingCapacity capacity: Int = 256) {
        self.bytes.reserveCapacity(capacity)
    }

    /// Begins an object.
    package mutating func beginObject() {
        self.begin(UInt8(ascii: "{"))
    }

    /// Ends the object begun last.
    package mutating func endObject() {
        self.end(UInt8(ascii: "}"))
    }

    /// Begins an array.
    package mutating func beginArray() {
        self.begin(UInt8(ascii: "["))
    }

    /// Ends the array begun last.
    package mutating func endArray() {
        self.end(UInt8(ascii: "]"))
    }

    /// Writes the name of a member.
    package mutating func key(_ name: String) {
        self.separate()
        self.quoted(name)
        self.bytes.append(UInt8(ascii: ":"))
        self.needsComma = false
    }

    /// Writes a string.
    package mutating func string(_ value: String) {
        self.separate()
        self.quoted(value)
    }

    /// Writes an integer.
    package mutating func integer(_ value: Int64) {
        self.separate()
        self.plain(String(value))
    }

    /// Writes a number with its text.
    package mutating func number(_ value: JSONNumber) {
        self.separate()
        self.plain(value.text)
    }

    /// Writes the shortest text that reads back as the same number; NaN and the infinities, which JSON lacks, as `null`.
    package mutating func double(_ value: Double) {
        self.separate()
        self.plain(value.isFinite ? value.description : "null")
    }

    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) {
        self.separate()
        self.plain(value ? "true" : "false")
    }

    /// Writes `null`.
    package mutating func null() {
        self.separate()
        self.plain("null")
    }

    /// Writes one complete value that is encoded already; it is not checked.
    package mutating func raw(_ value: [UInt8]) {
        self.separate()
        self.bytes.append(contentsOf: value)
    }

    private mutating func separate() {
        if self.needsComma {
            self.bytes.append(UInt8(ascii: ","))
        }
        self.needsComma = true
    }

    private mutating func begin(_ bracket: UInt8) {
        self.separate()
        self.bytes.append(bracket)
        self.needsComma = false
        self.depth += 1
    }

    private mutating func end(_ bracket: UInt8) {
        assert(self.depth > 0, "an end without a begin")
        self.bytes.append(bracket)
        self.needsComma = true
        self.depth -= 1
    }

    private mutating func plain(_ text: String) {
        self.bytes.append(contentsOf: text.utf8)
    }

    private mutating func quoted(_ text: String) {
        var text = text
        self.bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            var position = 0
            while true {
                let end = JSONText.endOfPlainRun(in: utf8, from: position)
                self.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[position..<end]))
                guard end < utf8.count else { break }
                self.escape(utf8[end])
                position = end + 1
            }
        }
        self.bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        self.bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            self.bytes.append(byte)
        case 0x08:
            self.bytes.append(UInt8(ascii: "b"))
        case 0x09:
            self.bytes.append(UInt8(ascii: "t"))
        case 0x0A:
            self.bytes.append(UInt8(ascii: "n"))
        case 0x0C:
            self.bytes.append(UInt8(ascii: "f"))
        case 0x0D:
            self.bytes.append(UInt8(ascii: "r"))
        default:
            self.plain("u00")
            self.bytes.append(Hexadecimal.digit(byte >> 4))
            self.bytes.append(Hexadecimal.digit(byte & 0xF))
        }
    }
}
