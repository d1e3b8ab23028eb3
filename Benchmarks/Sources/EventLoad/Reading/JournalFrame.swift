//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// One sound frame of a journal's file, in one of the two layouts that version 1 had while it was made.
struct JournalFrame {
    /// Where the payload lies in the file.
    let payload: Range<Int>

    /// Reads a frame; nil when there is none, or when any of its bytes is not the one that was written.
    ///
    /// - Parameters:
    ///   - file: The whole file.
    ///   - place: Where the frame should begin.
    ///   - salt: The file's.
    init?(_ file: UnsafeRawBufferPointer, at place: Int, salt: UInt32) {
        guard let payload = Self.compact(file, place, salt) ?? Self.marked(file, place, salt) else { return nil }
        self.payload = payload
    }

    /// The numbers and checksums of a frame as they stand in the file.
    private struct Fields {
        let size: Int
        /// How many bytes of the header the checksums cover.
        let covered: Int
        let stampLength: Int
        let payloadLength: Int
        let check: UInt16
        let checksum: UInt32
    }

    // Payload length, 3 bytes · stamp length, 1 · sequence, 6 · both halves of the CRC of salt, these 10 bytes and the
    // stamp, one upon the other, 2 · CRC of salt, 10 bytes, stamp and payload, FFFFFFFF for 0 · stamp · payload.
    private static func compact(_ file: UnsafeRawBufferPointer, _ place: Int, _ salt: UInt32) -> Range<Int>? {
        guard place + 16 <= file.count else { return nil }
        let lengths = file.loadUnaligned(fromByteOffset: place, as: UInt32.self).littleEndian
        let fields = Fields(
            size: 16,
            covered: 10,
            stampLength: Int(lengths >> 24),
            payloadLength: Int(lengths & 0xFF_FFFF),
            check: file.loadUnaligned(fromByteOffset: place + 10, as: UInt16.self).littleEndian,
            checksum: file.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self).littleEndian
        )
        return Self.payload(file, place, salt, fields) { part, whole in
            UInt16(truncatingIfNeeded: part ^ part >> 16) == fields.check
                && (whole == 0 ? .max : whole) == fields.checksum
        }
    }

    // Mark FB (an entry) · payload length, 3 bytes · stamp length, 2 · sequence, 6 · the low half of the CRC of salt, these
    // 12 bytes and the stamp, 2 · CRC of salt, 12 bytes, stamp and payload · stamp · payload.
    private static func marked(_ file: UnsafeRawBufferPointer, _ place: Int, _ salt: UInt32) -> Range<Int>? {
        guard place + 18 <= file.count, file[place] == 0xFB else { return nil }
        let lengths = file.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
        let fields = Fields(
            size: 18,
            covered: 12,
            stampLength: Int(lengths >> 32 & 0xFFFF),
            payloadLength: Int(lengths >> 8 & 0xFF_FFFF),
            check: file.loadUnaligned(fromByteOffset: place + 12, as: UInt16.self).littleEndian,
            checksum: file.loadUnaligned(fromByteOffset: place + 14, as: UInt32.self).littleEndian
        )
        return Self.payload(file, place, salt, fields) { part, whole in
            UInt16(truncatingIfNeeded: part) == fields.check && whole == fields.checksum
        }
    }

    private static func payload(
        _ file: UnsafeRawBufferPointer,
        _ place: Int,
        _ salt: UInt32,
        _ fields: Fields,
        isSound: (_ part: UInt32, _ whole: UInt32) -> Bool
    ) -> Range<Int>? {
        let stamp = place + fields.size..<place + fields.size + fields.stampLength
        let payload = stamp.upperBound..<stamp.upperBound + fields.payloadLength
        guard payload.upperBound <= file.count else { return nil }
        var checksum = withUnsafeBytes(of: salt.littleEndian) { CRC32C.of($0) }
        checksum = CRC32C.of(UnsafeRawBufferPointer(rebasing: file[place..<place + fields.covered]), after: checksum)
        let part = CRC32C.of(UnsafeRawBufferPointer(rebasing: file[stamp]), after: checksum)
        let whole = CRC32C.of(UnsafeRawBufferPointer(rebasing: file[payload]), after: part)
        return isSound(part, whole) ? payload : nil
    }
}
