// SPDX-License-Identifier: Apache-2.0

/// One sound frame of a journal's file.
struct JournalFrame {
    /// Where the payload lies in the file.
    let payload: Range<Int>

    // Payload length, 3 bytes · stamp length, 1 · sequence, 6 · both halves of the CRC of salt, these 10 bytes and the
    // stamp, one upon the other, 2 · CRC of salt, 10 bytes, stamp and payload, FFFFFFFF for 0, 4 · stamp · payload.
    private static let headerSize = 16
    private static let covered = 10

    /// Reads a frame; nil when there is none, or when any of its bytes is not the one that was written.
    ///
    /// - Parameters:
    ///   - file: The whole file.
    ///   - place: Where the frame should begin.
    ///   - salt: The file's.
    init?(_ file: UnsafeRawBufferPointer, at place: Int, salt: UInt32) {
        guard place + Self.headerSize <= file.count else { return nil }
        let lengths = file.loadUnaligned(fromByteOffset: place, as: UInt32.self).littleEndian
        let check = file.loadUnaligned(fromByteOffset: place + 10, as: UInt16.self).littleEndian
        let checksum = file.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self).littleEndian
        let stampBegin = place + Self.headerSize
        let stamp = stampBegin..<stampBegin + Int(lengths >> 24)
        let payload = stamp.upperBound..<stamp.upperBound + Int(lengths & 0xFF_FFFF)
        guard payload.upperBound <= file.count else { return nil }
        let salted = withUnsafeBytes(of: salt.littleEndian) { CRC32C.of($0) }
        let header = CRC32C.of(UnsafeRawBufferPointer(rebasing: file[place..<place + Self.covered]), after: salted)
        let part = CRC32C.of(UnsafeRawBufferPointer(rebasing: file[stamp]), after: header)
        let whole = CRC32C.of(UnsafeRawBufferPointer(rebasing: file[payload]), after: part)
        guard UInt16(truncatingIfNeeded: part ^ part >> 16) == check, (whole == 0 ? .max : whole) == checksum else {
            return nil
        }
        self.payload = payload
    }
}
