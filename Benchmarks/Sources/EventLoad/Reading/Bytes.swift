// SPDX-License-Identifier: Apache-2.0

import CFloors

/// Looks into raw bytes.
enum Bytes {
    /// Where a text begins.
    ///
    /// - Parameters:
    ///   - text: What to look for.
    ///   - bytes: Where.
    ///   - start: Not before this offset.
    /// - Returns: Its offset; nil when it is not there.
    static func find(_ text: StaticString, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        Self.find(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), in: bytes, from: start)
    }

    private static func find(
        _ needle: UnsafeRawBufferPointer,
        in bytes: UnsafeRawBufferPointer,
        from start: Int
    ) -> Int? {
        guard let base = bytes.baseAddress, let wanted = needle.baseAddress, start <= bytes.count else { return nil }
        guard let found = floors_find(base + start, bytes.count - start, wanted, needle.count) else { return nil }
        return found - base
    }

    /// How often a text stands there.
    static func count(_ text: StaticString, in bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        var place = 0
        while let found = Self.find(text, in: bytes, from: place) {
            count += 1
            place = found + text.utf8CodeUnitCount
        }
        return count
    }

    /// FNV-1a, 64 bits (RFC 9923): for comparing, not against anybody who wants to deceive.
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return hash
    }
}
