// SPDX-License-Identifier: Apache-2.0

import CSignetJournal

/// The Castagnoli checksum (RFC 3720, appendix B.4), eight bytes at a step.
///
/// It finds every error burst of up to 32 bits. It does not protect against deliberate changes.
package struct CRC32C: Sendable {
    /// True if this processor has an instruction for the checksum.
    package static let hasHardware = signet_crc32c_has_hardware()

    /// Eight tables of 256 entries: entry `k * 256 + b` is byte `b` followed by `k` zero bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var remainder = UInt32(byte)
            for _ in 0..<8 {
                // 0x82F63B78 is the polynomial 0x1EDC6F41 with its bits in reverse.
                remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0x82F6_3B78 : remainder >> 1
            }
            tables[byte] = remainder
        }
        for index in 256..<tables.count {
            let shorter = tables[index - 256]
            tables[index] = shorter >> 8 ^ tables[Int(shorter & 0xFF)]
        }
        return tables
    }()

    /// The index of the entry of a byte whose highest byte is this one; there is one for each.
    private static let inverse: [UInt8] = {
        var inverse = [UInt8](repeating: 0, count: 256)
        for byte in 0..<256 { inverse[Int(tables[byte] >> 24)] = UInt8(byte) }
        return inverse
    }()

    private var remainder: UInt32 = .max

    /// The checksum of the bytes so far.
    package var value: UInt32 { ~self.remainder }

    /// Makes the checksum of no bytes.
    package init() {}

    /// Starts with the four bytes of a file's salt, so that bytes of another file never match.
    package init(salt: UInt32) {
        withUnsafeBytes(of: salt.littleEndian) { self.update($0) }
    }

    /// Counts back from a checksum to the salt with which it began.
    ///
    /// - Parameters:
    ///   - checksum: The checksum of the salt, the first bytes and the second ones.
    ///   - first: The bytes after the salt.
    ///   - second: The bytes after those.
    /// - Returns: The salt.
    static func salt(of checksum: UInt32, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> UInt32 {
        var remainder = ~checksum
        for byte in second.reversed() { remainder = self.before(byte, remainder) }
        for byte in first.reversed() { remainder = self.before(byte, remainder) }
        // The salt was the first four bytes: they meet a remainder of all ones.
        for _ in 0..<4 { remainder = self.before(0, remainder) }
        return ~remainder
    }

    private static func before(_ byte: UInt8, _ remainder: UInt32) -> UInt32 {
        let index = self.inverse[Int(remainder >> 24)]
        return (remainder ^ self.tables[Int(index)]) << 8 | UInt32(index ^ byte)
    }

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if Self.hasHardware {
            self.remainder = signet_crc32c_extend(self.remainder, bytes.baseAddress, bytes.count)
        } else {
            self.updateByTable(bytes)
        }
    }

    /// Adds bytes without the processor's instruction.
    package mutating func updateByTable(_ bytes: UnsafeRawBufferPointer) {
        self.remainder = Self.tables.withUnsafeBufferPointer { Self.step(self.remainder, bytes, $0) }
    }

    private static func step(
        _ start: UInt32,
        _ bytes: UnsafeRawBufferPointer,
        _ tables: UnsafeBufferPointer<UInt32>
    ) -> UInt32 {
        var crc = start
        var index = 0
        let wide = bytes.count & ~7
        while index < wide {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ UInt64(crc)
            crc =
                tables[7 * 256 + Int(truncatingIfNeeded: word & 0xFF)]
                ^ tables[6 * 256 + Int(truncatingIfNeeded: word >> 8 & 0xFF)]
                ^ tables[5 * 256 + Int(truncatingIfNeeded: word >> 16 & 0xFF)]
                ^ tables[4 * 256 + Int(truncatingIfNeeded: word >> 24 & 0xFF)]
                ^ tables[3 * 256 + Int(truncatingIfNeeded: word >> 32 & 0xFF)]
                ^ tables[2 * 256 + Int(truncatingIfNeeded: word >> 40 & 0xFF)]
                ^ tables[256 + Int(truncatingIfNeeded: word >> 48 & 0xFF)]
                ^ tables[Int(truncatingIfNeeded: word >> 56)]
            index += 8
        }
        while index < bytes.count {
            crc = crc >> 8 ^ tables[Int((crc ^ UInt32(bytes[index])) & 0xFF)]
            index += 1
        }
        return crc
    }
}
