//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import struct FoundationEssentials.UUID

/// Room for the head of an event, filled from its start; what does not fit is a programming error and traps.
struct HeadBuffer: ~Copyable {
    private let room: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    private static let digits: StaticString = "0123456789ABCDEF"

    init(_ room: UnsafeMutableRawBufferPointer) {
        self.room = room
    }

    /// Appends a text that needs no escape.
    mutating func append(_ text: StaticString) {
        self.append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: self.room[self.count..<self.count + bytes.count]).copyMemory(
            from: bytes
        )
        self.count += bytes.count
    }

    /// Appends the digits of an integer.
    mutating func append(_ value: Int64) {
        if value < 0 { self.put(UInt8(ascii: "-")) }
        var rest = value.magnitude
        var length = 1
        var limit: UInt64 = 10
        while rest >= limit, length < 20 {
            length += 1
            limit = length < 20 ? limit &* 10 : .max
        }
        precondition(self.room.count - self.count >= length, "no room for a number")
        for position in stride(from: self.count + length - 1, through: self.count, by: -1) {
            self.room[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        self.count += length
    }

    /// Appends a UUID in the upper-case form that `UUID.uuidString` has: 8-4-4-4-12 digits (RFC 9562, 4).
    mutating func append(_ value: UUID) {
        precondition(self.room.count - self.count >= 36, "no room for a UUID")
        withUnsafeBytes(of: value.uuid) { bytes in
            var position = self.count
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    self.room[position] = UInt8(ascii: "-")
                    position += 1
                }
                self.room[position] = Self.digits.utf8Start[Int(bytes[index] >> 4)]
                self.room[position + 1] = Self.digits.utf8Start[Int(bytes[index] & 0xF)]
                position += 2
            }
        }
        self.count += 36
    }

    private mutating func put(_ byte: UInt8) {
        self.room[self.count] = byte
        self.count += 1
    }
}
