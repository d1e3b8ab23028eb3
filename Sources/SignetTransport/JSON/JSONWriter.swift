// SPDX-License-Identifier: Apache-2.0

/// Writes JSON into bytes, without white space, and places the commas.
///
/// The caller pairs begin and end, and gives each member a key and then a value; only debug builds check that. Strings
/// escape the quote, the backslash and control characters. Everything else, including U+2028 and `<`, stays UTF-8.
package struct JSONWriter: Sendable {
    private var buffer: JSONBuffer
    private var needsComma = false
    private var depth = 0

    /// Makes a writer.
    package init(reservingCapacity capacity: Int = 256) {
        self.buffer = JSONBuffer(capacity: capacity)
    }

    /// Makes a writer that continues inside an object of an object, after a member that was written elsewhere.
    package init(continuingObjectReserving capacity: Int) {
        self.buffer = JSONBuffer(capacity: capacity)
        self.needsComma = true
        self.depth = 2
    }

    /// A copy of the bytes written so far; read it once, at the end.
    package var bytes: [UInt8] {
        self.buffer.bytes
    }

    /// Returns the written bytes without a copy; the writer is empty afterwards.
    package mutating func finish() -> [UInt8] {
        self.buffer.finish()
    }

    /// The number of bytes written so far.
    package var count: Int {
        self.buffer.count
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
        self.quoted(name, UInt8(ascii: ":"))
    }

    /// Writes a string.
    package mutating func string(_ value: String) {
        self.quoted(value, nil)
    }

    /// Writes an integer.
    package mutating func integer(_ value: Int64) {
        self.buffer.append(self.comma(), value)
    }

    /// Writes an integer as a string.
    package mutating func quoted(_ value: Int64) {
        self.buffer.append(self.comma(), value, quote: UInt8(ascii: "\""))
    }

    /// Writes a number with its text.
    package mutating func number(_ value: JSONNumber) {
        self.plain(value.text)
    }

    /// Writes the shortest text that reads back as the same number; NaN and the infinities become `null`.
    package mutating func double(_ value: Double) {
        self.plain(value.isFinite ? value.description : "null")
    }

    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) {
        self.plain(value ? "true" : "false")
    }

    /// Writes `null`.
    package mutating func null() {
        self.plain("null")
    }

    /// Writes one complete value that is already encoded, without checking it.
    package mutating func raw(_ value: [UInt8]) {
        let comma = self.comma()
        value.withUnsafeBufferPointer { self.buffer.append(comma, $0) }
    }

    /// Returns the comma before the next value, if one is needed, and counts the value as written.
    private mutating func comma() -> UInt8? {
        defer { self.needsComma = true }
        return self.needsComma ? UInt8(ascii: ",") : nil
    }

    private mutating func begin(_ bracket: UInt8) {
        if let comma = self.comma() {
            self.buffer.append(comma)
        }
        self.buffer.append(bracket)
        self.needsComma = false
        self.depth += 1
    }

    private mutating func end(_ bracket: UInt8) {
        assert(self.depth > 0, "an end without a begin")
        self.buffer.append(bracket)
        self.needsComma = true
        self.depth -= 1
    }

    private mutating func plain(_ text: String) {
        let comma = self.comma()
        Self.withUTF8(of: text) { self.buffer.append(comma, $0) }
    }

    private mutating func quoted(_ text: String, _ after: UInt8?) {
        let comma = self.comma()
        // A colon follows a name, and no comma stands between the name and its value.
        self.needsComma = after == nil
        Self.withUTF8(of: text) { self.buffer.appendQuoted(comma, $0, after) }
    }

    /// Passes the UTF-8 of a text to a body; copies the string only if it is not stored as contiguous UTF-8.
    private static func withUTF8(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if text.utf8.withContiguousStorageIfAvailable(body) == nil {
            var copy = text
            copy.withUTF8(body)
        }
    }

    /// Writes a member that is a string.
    package mutating func member(_ key: String, _ value: String) {
        self.key(key)
        self.string(value)
    }

    /// Writes a member that is an integer.
    package mutating func member(_ key: String, _ value: Int64) {
        self.key(key)
        self.integer(value)
    }

    /// Writes a member that is an integer.
    package mutating func member(_ key: String, _ value: Int) {
        self.member(key, Int64(value))
    }

    /// Writes a member that is a number; NaN and the infinities as `null`.
    package mutating func member(_ key: String, _ value: Double) {
        self.key(key)
        self.double(value)
    }

    /// Writes a member that is `true` or `false`.
    package mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        self.bool(value)
    }

    /// Writes a member that is any value.
    package mutating func member(_ key: String, _ value: JSONValue) {
        self.key(key)
        self.value(value)
    }

    /// Writes any value.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null:
            self.null()
        case .bool(let value):
            self.bool(value)
        case .number(let value):
            self.number(value)
        case .string(let value):
            self.string(value)
        case .array(let elements):
            self.beginArray()
            for element in elements {
                self.value(element)
            }
            self.endArray()
        case .object(let members):
            self.beginObject()
            for (key, value) in members {
                self.member(key, value)
            }
            self.endObject()
        }
    }
}
