//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The fixed part of a frame: what it is, how long, and which one.
///
/// A frame is this header, a key and a value. The first checksum covers header and key, the second also the value: when
/// only the value is damaged, it is still known whose it was.
package struct FrameHeader: Sendable, Equatable {
    /// What a frame says.
    package enum Kind: UInt8, Sendable {
        /// The key has this value from now on.
        case put = 1
        /// The key has no value from now on.
        case remove = 2
        /// An entry of a journal: a stamp in the place of the key, a payload in that of the value.
        case entry = 3
        /// Acknowledged sequences: pairs of first and last.
        case acknowledge = 4
        /// The snapshot is complete.
        case end = 5
        /// A copy of bytes of another file; the sequence is their offset there.
        case copy = 6
    }

    /// What the first byte of a frame has beside its kind; UTF-8 never contains F9 to FE, so that a search among JSON
    /// finds frames only.
    static let mark: UInt8 = 0xF8

    /// The bytes before the key.
    package static let size = 18

    /// The bytes that both checksums begin with.
    static let fixedSize = 12

    /// The longest key, in bytes.
    package static let keyLimit = 1 << 10

    /// The longest value, in bytes.
    package static let valueLimit = 1 << 24 - 1

    /// The highest sequence: at a million a second, the frames of nine years.
    package static let sequenceLimit: UInt64 = 1 << 48 - 1

    /// What the frame says.
    package var kind: Kind

    /// The bytes of the key.
    package var keyLength: Int

    /// The bytes of the value.
    package var valueLength: Int

    /// The number of the frame; a newer one has a higher number.
    package var sequence: UInt64

    /// The bytes of the whole frame.
    package var length: Int { Self.size + self.keyLength + self.valueLength }

    init(kind: Kind, keyLength: Int, valueLength: Int, sequence: UInt64) {
        self.kind = kind
        self.keyLength = keyLength
        self.valueLength = valueLength
        self.sequence = sequence
    }

    /// Appends a frame to bytes that will be written.
    ///
    /// - Parameters:
    ///   - kind: What it says.
    ///   - sequence: Its number.
    ///   - key: At most `keyLimit` bytes.
    ///   - value: At most `valueLimit` bytes.
    ///   - salt: The salt of the file it goes to.
    ///   - buffer: Where it is appended.
    package static func encode(
        _ kind: Kind,
        sequence: UInt64,
        key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer,
        salt: UInt32,
        to buffer: inout [UInt8]
    ) {
        let fixed = Self.fixed(kind, sequence: sequence, keyLength: key.count, valueLength: value.count)
        withUnsafeBytes(of: fixed) { fixed in
            let fixed = UnsafeRawBufferPointer(rebasing: fixed[..<Self.fixedSize])
            var checksum = CRC32C(salt: salt)
            checksum.update(fixed)
            checksum.update(key)
            buffer.append(contentsOf: fixed)
            buffer.append(littleEndian: UInt16(truncatingIfNeeded: checksum.value))
            checksum.update(value)
            buffer.append(littleEndian: checksum.value)
        }
        buffer.append(contentsOf: key)
        buffer.append(contentsOf: value)
    }

    /// Writes a frame to memory, its header last: what a kill leaves of it is no frame.
    ///
    /// - Parameters:
    ///   - kind: What it says.
    ///   - sequence: Its number.
    ///   - key: At most `keyLimit` bytes.
    ///   - value: The first part of its value.
    ///   - rest: The other part; at most `valueLimit` bytes together.
    ///   - salt: The salt of the file it goes to.
    ///   - room: As many bytes as the frame has.
    static func write(
        _ kind: Kind,
        sequence: UInt64,
        key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer,
        salt: UInt32,
        to room: UnsafeMutableRawPointer
    ) {
        let fixed = Self.fixed(kind, sequence: sequence, keyLength: key.count, valueLength: value.count + rest.count)
        var checksum = CRC32C(salt: salt)
        let room = room + Self.size
        withUnsafeBytes(of: fixed) { checksum.update(UnsafeRawBufferPointer(rebasing: $0[..<Self.fixedSize])) }
        checksum.update(key)
        let check = UInt16(truncatingIfNeeded: checksum.value)
        if let bytes = key.baseAddress { room.copyMemory(from: bytes, byteCount: key.count) }
        if let bytes = value.baseAddress { (room + key.count).copyMemory(from: bytes, byteCount: value.count) }
        if let bytes = rest.baseAddress {
            (room + key.count + value.count).copyMemory(from: bytes, byteCount: rest.count)
        }
        checksum.update(value)
        checksum.update(rest)
        room.advanced(by: -4).storeBytes(of: checksum.value.littleEndian, as: UInt32.self)
        room.advanced(by: -6).storeBytes(of: check.littleEndian, as: UInt16.self)
        room.advanced(by: -10).storeBytes(of: fixed.1, as: UInt32.self)
        room.advanced(by: -18).storeBytes(of: fixed.0, as: UInt64.self)
    }

    /// The fixed part before the checksums, lowest byte first.
    private static func fixed(
        _ kind: Kind,
        sequence: UInt64,
        keyLength: Int,
        valueLength: Int
    ) -> (UInt64, UInt32) {
        var first = UInt64(self.mark + kind.rawValue) | UInt64(UInt32(valueLength)) << 8
        first |= UInt64(UInt16(keyLength)) << 32 | (sequence & 0xFFFF) << 48
        return (first.littleEndian, UInt32(truncatingIfNeeded: sequence >> 16).littleEndian)
    }

    /// Whether a byte can be the first of a frame.
    static func isMark(_ byte: UInt8) -> Bool {
        byte > self.mark && byte < .max
    }

    /// Reads the fixed part, without looking at a checksum.
    ///
    /// - Parameter bytes: At least `size` bytes.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let first = bytes.littleEndian(at: 0, as: UInt64.self)
        let mark = UInt8(truncatingIfNeeded: first)
        guard Self.isMark(mark), let kind = Kind(rawValue: mark - Self.mark) else { return nil }
        self.kind = kind
        self.valueLength = Int(UInt32(truncatingIfNeeded: first >> 8) & 0xFF_FFFF)
        self.keyLength = Int(UInt16(truncatingIfNeeded: first >> 32))
        self.sequence = first >> 48 | UInt64(bytes.littleEndian(at: 8, as: UInt32.self)) << 16
        guard self.keyLength <= Self.keyLimit else { return nil }
    }

    /// The checksum over header and key, if it is the one that was written.
    ///
    /// - Parameters:
    ///   - bytes: The frame up to the end of the key at least.
    ///   - salt: The salt of the file they come from.
    /// - Returns: The checksum, for going on with the value; nil if it does not match.
    func checkedKey(_ bytes: UnsafeRawBufferPointer, salt: UInt32) -> CRC32C? {
        var checksum = CRC32C(salt: salt)
        checksum.update(UnsafeRawBufferPointer(rebasing: bytes[..<Self.fixedSize]))
        checksum.update(UnsafeRawBufferPointer(rebasing: bytes[Self.size..<Self.size + self.keyLength]))
        let check = bytes.littleEndian(at: Self.fixedSize, as: UInt16.self)
        return UInt16(truncatingIfNeeded: checksum.value) == check ? checksum : nil
    }

    /// Whether the value is the one that was written.
    ///
    /// - Parameters:
    ///   - bytes: The whole frame.
    ///   - checksum: The checksum over header and key.
    /// - Returns: Whether the second checksum matches.
    func checksValue(_ bytes: UnsafeRawBufferPointer, after checksum: CRC32C) -> Bool {
        var checksum = checksum
        checksum.update(self.value(in: bytes))
        return checksum.value == bytes.littleEndian(at: Self.fixedSize + 2, as: UInt32.self)
    }

    /// The key within the bytes of the frame.
    func key(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Self.size..<Self.size + self.keyLength])
    }

    /// The value within the bytes of the frame.
    func value(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Self.size + self.keyLength..<self.length])
    }

    /// The header of a frame that is sound from its first to its last byte.
    ///
    /// - Parameters:
    ///   - bytes: The bytes at the frame's place, as many as the frame is expected to have.
    ///   - salt: The salt of the file they come from.
    /// - Returns: Nil if any byte is not the one that was written.
    static func sound(_ bytes: UnsafeRawBufferPointer, salt: UInt32) -> FrameHeader? {
        guard bytes.count >= Self.size, let header = FrameHeader(bytes), header.length == bytes.count,
            let checksum = header.checkedKey(bytes, salt: salt), header.checksValue(bytes, after: checksum)
        else { return nil }
        return header
    }
}
