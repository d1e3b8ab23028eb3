// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct FoundationEssentials.UUID

/// A buffer for text, filled from its start; text that does not fit is a programming error and traps.
///
/// It serves heads and the details of most events. The JSON writer, which serves everything else, checks room and commas at
/// each step, which takes longer.
struct TextRoom: ~Copyable {
    private let room: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    /// The number of bytes left for escapes.
    private var slack: Int

    private static let pairs: StaticString = """
        0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
        5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
        """

    /// Wraps a buffer.
    ///
    /// - Parameters:
    ///   - room: The target of the text.
    ///   - slack: The part of it that is reserved for escapes, in bytes.
    init(_ room: UnsafeMutableRawBufferPointer, slack: Int = 0) {
        self.room = room
        self.slack = slack
    }

    /// Appends a text that needs no escape.
    @inline(__always)
    mutating func append(_ text: StaticString) {
        self.append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes.
    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        self.reserve(bytes.count).copyMemory(from: source, byteCount: bytes.count)
        self.count += bytes.count
    }

    /// Appends a text between quotes.
    ///
    /// - Returns: True if the slack was enough for its escapes; otherwise the appended text is invalid.
    mutating func appendQuoted(_ text: String) -> Bool {
        guard let isWritten = text.utf8.withContiguousStorageIfAvailable({ self.appendQuoted($0) }) else {
            var copy = text
            return copy.withUTF8 { self.appendQuoted($0) }
        }
        return isWritten
    }

    private mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        self.append("\"")
        var position = self.appendPlainRun(of: text, from: 0)
        while position < text.count {
            guard self.appendEscape(of: text[position]) else { return false }
            position += 1
            position += self.appendPlainRun(of: text, from: position)
        }
        self.append("\"")
        return true
    }

    /// Appends a run of bytes that need no escape.
    ///
    /// - Returns: The number of bytes appended.
    @inline(__always)
    private mutating func appendPlainRun(of text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let length = text.count - start
        let target = UnsafeMutableBufferPointer(
            start: self.reserve(length).assumingMemoryBound(to: UInt8.self),
            count: length
        )
        let copied = JSONText.copyPlainRun(of: text, from: start, to: target, at: 0)
        self.count += copied
        return copied
    }

    /// Appends the escape of a byte (RFC 8259, 7), with the short form where there is one.
    ///
    /// - Returns: True if the slack was enough.
    private mutating func appendEscape(of byte: UInt8) -> Bool {
        let short: StaticString? =
            switch byte {
            case UInt8(ascii: "\""): #"\""#
            case UInt8(ascii: "\\"): #"\\"#
            case 0x08: #"\b"#
            case 0x09: #"\t"#
            case 0x0A: #"\n"#
            case 0x0C: #"\f"#
            case 0x0D: #"\r"#
            default: nil
            }
        self.slack -= short == nil ? 5 : 1
        guard self.slack >= 0 else { return false }
        if let short {
            self.append(short)
        } else {
            // A byte without a short form is below 0x20.
            self.append(byte < 0x10 ? #"\u000"# : #"\u001"#)
            let digit = byte & 0xF
            let character = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
            self.reserve(1).storeBytes(of: character, as: UInt8.self)
            self.count += 1
        }
        return true
    }

    /// Appends the digits of an integer.
    mutating func append(_ value: Int64) {
        if value < 0 { self.append("-") }
        self.append(digits: value.magnitude)
    }

    /// Appends the digits of a number.
    mutating func append(digits value: UInt64) {
        var length = 1
        var limit: UInt64 = 10
        while value >= limit, length < 20 {
            length += 1
            limit = length < 20 ? limit &* 10 : .max
        }
        let target = self.reserve(length)
        var rest = value
        var place = length
        while place >= 2 {
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            place -= 2
            (target + place).copyMemory(from: Self.pairs.utf8Start + Int(pair) &* 2, byteCount: 2)
            rest = quotient
        }
        if place == 1 {
            target.storeBytes(of: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        }
        self.count += length
    }

    /// Appends a UUID in the upper-case form that `UUID.uuidString` has: 8-4-4-4-12 digits (RFC 9562, 4).
    mutating func append(_ value: UUID) {
        let target = self.reserve(36)
        withUnsafeBytes(of: value.uuid) { bytes in
            func digits(_ offset: Int) -> UInt64 {
                Self.digits(of: UInt32(bigEndian: bytes.load(fromByteOffset: offset, as: UInt32.self)))
            }
            func put(_ value: UInt32, _ offset: Int) {
                target.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self)
            }
            let second = digits(4)
            let third = digits(8)
            target.storeBytes(of: digits(0).bigEndian, as: UInt64.self)
            put(UInt32(truncatingIfNeeded: second >> 32), 9)
            put(UInt32(truncatingIfNeeded: second), 14)
            put(UInt32(truncatingIfNeeded: third >> 32), 19)
            put(UInt32(truncatingIfNeeded: third), 24)
            target.storeBytes(of: digits(12).bigEndian, toByteOffset: 28, as: UInt64.self)
        }
        for place in stride(from: 8, through: 23, by: 5) {
            target.storeBytes(of: UInt8(ascii: "-"), toByteOffset: place, as: UInt8.self)
        }
        self.count += 36
    }

    /// Writes eight hexadecimal digits, the first in the highest byte.
    ///
    /// Each half byte moves into a byte of its own, and those above nine gain the distance from `9` to `A`.
    private static func digits(of value: UInt32) -> UInt64 {
        var halves = UInt64(value)
        halves = (halves << 16 | halves) & 0x0000_FFFF_0000_FFFF
        halves = (halves << 8 | halves) & 0x00FF_00FF_00FF_00FF
        halves = (halves << 4 | halves) & 0x0F0F_0F0F_0F0F_0F0F
        let letters = (halves &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return halves &+ 0x3030_3030_3030_3030 &+ letters &* 7
    }

    /// The position of the next bytes; traps if they do not fit.
    @inline(__always)
    private func reserve(_ length: Int) -> UnsafeMutableRawPointer {
        guard let start = self.room.baseAddress, length <= self.room.count - self.count else {
            preconditionFailure("no room for \(length) bytes")
        }
        return start + self.count
    }

    /// The maximum length of the text of a double, such as `-2.2250738585072014e-308`.
    static let longestDouble = 24

    /// Appends the shortest text that parses as the same number, as `Double.description` gives it.
    ///
    /// A price or a ratio has few decimals. If a number of at most 13 digits divided by 10,000 is the number itself, then its
    /// digits are the shortest: no two decimals of up to 15 digits are the same double. That takes one division where the
    /// general method takes a hundred nanoseconds.
    mutating func append(_ value: Double) {
        let size = value.magnitude
        let units = (size * 10_000).rounded()
        guard size >= 0.001, size < 1e9, units / 10_000 == size else {
            self.append(general: value)
            return
        }
        if value < 0 { self.append("-") }
        let (whole, decimals) = UInt64(units).quotientAndRemainder(dividingBy: 10_000)
        self.append(digits: whole)
        self.append(".")
        self.append(decimals: decimals)
    }

    /// Appends four decimals without trailing zeros, one digit at least.
    private mutating func append(decimals: UInt64) {
        var rest = decimals
        var divisor: UInt64 = 1000
        repeat {
            self.append(digits: rest / divisor)
            rest %= divisor
            divisor /= 10
        } while rest > 0
    }

    private mutating func append(general value: Double) {
        var text = value.description
        text.withUTF8 { self.append(UnsafeRawBufferPointer($0)) }
    }
}
