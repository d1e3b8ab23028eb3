//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

import struct FoundationEssentials.UUID

/// Room for text, filled from its start; what does not fit is a programming error and traps.
///
/// For heads and for the details of most events: the writer of JSON for everything else looks for room, commas and escapes
/// at each step, which takes three times as long.
struct TextRoom: ~Copyable {
    private let room: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    private static let pairs: StaticString = """
        0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
        5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
        """

    init(_ room: UnsafeMutableRawBufferPointer) {
        self.room = room
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
    /// - Returns: Whether it needs no escape; if it does, what was appended is of no use.
    mutating func appendQuoted(_ text: String) -> Bool {
        guard let isPlain = text.utf8.withContiguousStorageIfAvailable({ self.appendQuoted($0) }) else {
            var copy = text
            return copy.withUTF8 { self.appendQuoted($0) }
        }
        return isPlain
    }

    private mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let target = self.reserve(text.count + 2)
        let bytes = UnsafeMutableBufferPointer(
            start: target.assumingMemoryBound(to: UInt8.self),
            count: text.count + 2
        )
        bytes[0] = UInt8(ascii: "\"")
        let copied = JSONText.copyPlainRun(of: text, from: 0, to: bytes, at: 1)
        bytes[text.count + 1] = UInt8(ascii: "\"")
        self.count += text.count + 2
        return copied == text.count
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

    /// Eight hexadecimal digits, the first in the highest byte: each half byte moves into a byte of its own, and those above
    /// nine gain the distance from `9` to `A`.
    private static func digits(of value: UInt32) -> UInt64 {
        var halves = UInt64(value)
        halves = (halves << 16 | halves) & 0x0000_FFFF_0000_FFFF
        halves = (halves << 8 | halves) & 0x00FF_00FF_00FF_00FF
        halves = (halves << 4 | halves) & 0x0F0F_0F0F_0F0F_0F0F
        let letters = (halves &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return halves &+ 0x3030_3030_3030_3030 &+ letters &* 7
    }

    /// Where so many bytes may go.
    @inline(__always)
    private func reserve(_ length: Int) -> UnsafeMutableRawPointer {
        guard let start = self.room.baseAddress, length <= self.room.count - self.count else {
            preconditionFailure("no room for \(length) bytes")
        }
        return start + self.count
    }
}
