//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What the reader and the writer both know about the text inside a JSON string.
enum JSONText {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Finds the end of a run that stands for itself: the first quote, backslash or control character, or the end.
    ///
    /// It looks at eight bytes at a time. `(x - n) & ~x & high` marks bytes below `n`; a borrow can only make false marks
    /// above a true one, so the lowest mark is always true.
    static func endOfPlainRun(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var position = start
        let raw = UnsafeRawBufferPointer(bytes)
        while position + 8 <= bytes.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quote = word ^ (Self.ones &* 0x22)
            let backslash = word ^ (Self.ones &* 0x5C)
            let control = (word &- Self.ones &* 0x20) & ~word
            let marks =
                (control | (quote &- Self.ones) & ~quote | (backslash &- Self.ones) & ~backslash) & Self.highBits
            if marks != 0 {
                return position + marks.trailingZeroBitCount / 8
            }
            position += 8
        }
        while position < bytes.count, Self.isPlain(bytes[position]) {
            position += 1
        }
        return position
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x22 && byte != 0x5C
    }
}
