// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

/// Generates the ids of the events of one installation: UUIDs of version 4 (RFC 9562, 5.4) that never repeat.
///
/// Half of the bits are random for each object; the others are a scrambled counter with a random begin. Two ids of one
/// object never match; ids of two objects match only if 60 random bits do. The system's generator would cost as much as
/// the rest of an event.
struct MessageIDs: Sendable {
    private let high: UInt64
    private var counter: UInt64

    private static let mask: UInt64 = 1 << 62 - 1

    /// Draws the random bits.
    init() {
        var generator = SystemRandomNumberGenerator()
        self.init(high: generator.next(), counter: generator.next())
    }

    /// Makes a generator from given bits.
    init(high: UInt64, counter: UInt64) {
        self.high = (high & ~0xF000) | 0x4000
        self.counter = counter
    }

    /// Returns the next id.
    mutating func next() -> UUID {
        self.counter &+= 1
        // Each step maps 62 bits one to one onto 62 bits, so no two counters give the same id.
        var low = self.counter & Self.mask
        low = (low &* 0x9E37_79B9_7F4A_7C15) & Self.mask
        low ^= low >> 31
        low = (low &* 0xBF58_476D_1CE4_E5B9) & Self.mask
        low ^= low >> 29
        var words = (self.high.bigEndian, (low | 1 << 63).bigEndian)
        return withUnsafeBytes(of: &words) { UUID(uuid: $0.loadUnaligned(as: UUID.Bytes.self)) }
    }
}

extension UUID {
    /// The type of its sixteen bytes.
    fileprivate typealias Bytes = (
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
    )
}
