// SPDX-License-Identifier: Apache-2.0

import CFloors

/// CRC-32C of the benchmark itself, so that reading the journal's files needs nothing of Signet.
enum CRC32C {
    /// Whether the processor has an instruction for it.
    static var isHardware: Bool {
        floors_crc32c_is_hardware() != 0
    }

    /// The checksum of some bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - before: The checksum of those before them.
    /// - Returns: The checksum of all.
    static func of(_ bytes: UnsafeRawBufferPointer, after before: UInt32 = 0) -> UInt32 {
        floors_crc32c(before, bytes.baseAddress, bytes.count)
    }
}
