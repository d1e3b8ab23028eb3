//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// One sound frame of a journal's file.
///
/// Mark FB (an entry) · payload length, 3 bytes · stamp length, 2 · sequence, 6 · the low half of the CRC of salt, these
/// 12 bytes and the stamp · CRC of salt, 12 bytes, stamp and payload · stamp · payload.
struct JournalFrame {
    /// Where the payload lies in the file.
    let payload: Range<Int>

    private static let size = 18
    private static let mark: UInt8 = 0xFB

    /// Reads a frame; nil when there is none, or when any of its bytes is not the one that was written.
    ///
    /// - Parameters:
    ///   - file: The whole file.
    ///   - place: Where the frame should begin.
    ///   - salt: The file's.
    init?(_ file: UnsafeRawBufferPointer, at place: Int, salt: UInt32) {
        guard place + Self.size <= file.count, file[place] == Self.mark else { return nil }
        let lengths = file.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
        let payloadLength = Int(lengths >> 8 & 0xFF_FFFF)
        let stampLength = Int(lengths >> 32 & 0xFFFF)
        let stamp = place + Self.size..<place + Self.size + stampLength
        let payload = stamp.upperBound..<stamp.upperBound + payloadLength
        guard payload.upperBound <= file.count else { return nil }

        var checksum = withUnsafeBytes(of: salt.littleEndian) { CRC32C.of($0) }
        checksum = CRC32C.of(UnsafeRawBufferPointer(rebasing: file[place..<place + 12]), after: checksum)
        checksum = CRC32C.of(UnsafeRawBufferPointer(rebasing: file[stamp]), after: checksum)
        let check = file.loadUnaligned(fromByteOffset: place + 12, as: UInt16.self).littleEndian
        guard check == UInt16(truncatingIfNeeded: checksum) else { return nil }
        checksum = CRC32C.of(UnsafeRawBufferPointer(rebasing: file[payload]), after: checksum)
        guard checksum == file.loadUnaligned(fromByteOffset: place + 14, as: UInt32.self).littleEndian else {
            return nil
        }
        self.payload = payload
    }
}
