// SPDX-License-Identifier: Apache-2.0

/// The scan for plain text inside a JSON string that the reader and the writer share.
package enum JSONText {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Returns the end of a run without escapes: the first quote, backslash or control character, or the end.
    static func endOfPlainRun(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var position = start
        while position + 8 <= bytes.count {
            let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if let plain = Self.plainBytes(before: word) {
                return position + plain
            }
            position += 8
        }
        while position < bytes.count, Self.isPlain(bytes[position]) {
            position += 1
        }
        return position
    }

    /// Copies such a run.
    ///
    /// The room must take all bytes from `start`; its contents beyond the run are overwritten.
    ///
    /// - Returns: The length of the run.
    package static func copyPlainRun(
        of bytes: UnsafeBufferPointer<UInt8>,
        from start: Int,
        to room: UnsafeMutableBufferPointer<UInt8>,
        at destination: Int
    ) -> Int {
        precondition(bytes.count - start <= room.count - destination, "no room for the run")
        let source = UnsafeRawBufferPointer(bytes)
        let target = UnsafeMutableRawBufferPointer(room)
        let length = bytes.count - start
        var copied = 0
        while copied + 8 <= length {
            let word = source.loadUnaligned(fromByteOffset: start + copied, as: UInt64.self)
            target.storeBytes(of: word, toByteOffset: destination + copied, as: UInt64.self)
            if let plain = Self.plainBytes(before: word) {
                return copied + plain
            }
            copied += 8
        }
        if length >= 8, copied < length {
            // Copies the last eight bytes again: those copied before are plain, so a mark lies among the new ones.
            let word = source.loadUnaligned(fromByteOffset: start + length - 8, as: UInt64.self)
            target.storeBytes(of: word, toByteOffset: destination + length - 8, as: UInt64.self)
            return length - 8 + (Self.plainBytes(before: word) ?? 8)
        }
        while copied < length, Self.isPlain(bytes[start + copied]) {
            room[destination + copied] = bytes[start + copied]
            copied += 1
        }
        return copied
    }

    /// The number of plain bytes before the first that is not, out of eight in memory order; nil when all are plain.
    ///
    /// `(x - n) & ~x & high` marks the bytes below `n`. A borrow makes false marks, but only above a true one, so the
    /// lowest mark is always true.
    private static func plainBytes(before bytes: UInt64) -> Int? {
        let word = UInt64(littleEndian: bytes)
        let quote = word ^ (Self.ones &* 0x22)
        let backslash = word ^ (Self.ones &* 0x5C)
        let control = (word &- Self.ones &* 0x20) & ~word
        let marks = control | (quote &- Self.ones) & ~quote | (backslash &- Self.ones) & ~backslash
        return marks & Self.highBits == 0 ? nil : (marks & Self.highBits).trailingZeroBitCount / 8
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x22 && byte != 0x5C
    }
}
