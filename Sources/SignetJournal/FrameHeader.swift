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
        /// Acknowledged sequences: pairs of first and last.
        case acknowledge = 4
        /// The snapshot is complete.
        case end = 5
        /// A copy of bytes of another file; the sequence is their offset there.
        case copy = 6
    }

    /// The first byte of each frame; UTF-8 never contains it, so that a search among JSON finds frames only.
    static let mark: UInt8 = 0xF5

    /// The bytes before the key.
    package static let size = 24

    /// The longest key, in bytes.
    package static let keyLimit = 1 << 10

    /// The longest value, in bytes.
    package static let valueLimit = 16 << 20

    /// The highest sequence that is read: counting on from it can never overflow.
    static let sequenceLimit: UInt64 = 1 << 62

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
        var first = UInt64(self.mark) | UInt64(kind.rawValue) << 8
        first |= UInt64(UInt16(key.count)) << 16 | UInt64(UInt32(value.count)) << 32
        var checksum = CRC32C(salt: salt)
        withUnsafeBytes(of: (first.littleEndian, sequence.littleEndian)) {
            checksum.update($0)
            buffer.append(contentsOf: $0)
        }
        checksum.update(key)
        buffer.append(littleEndian: checksum.value)
        checksum.update(value)
        buffer.append(littleEndian: checksum.value)
        buffer.append(contentsOf: key)
        buffer.append(contentsOf: value)
    }

    /// Reads the fixed part, without looking at a checksum.
    ///
    /// - Parameter bytes: At least `size` bytes.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let first = bytes.littleEndian(at: 0, as: UInt64.self)
        guard UInt8(truncatingIfNeeded: first) == Self.mark else { return nil }
        guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: first >> 8)) else { return nil }
        self.kind = kind
        self.keyLength = Int(UInt16(truncatingIfNeeded: first >> 16))
        self.valueLength = Int(UInt32(truncatingIfNeeded: first >> 32))
        self.sequence = bytes.littleEndian(at: 8, as: UInt64.self)
        guard self.keyLength <= Self.keyLimit, self.valueLength <= Self.valueLimit,
            self.sequence <= Self.sequenceLimit
        else { return nil }
    }

    /// The checksum over header and key, if it is the one that was written.
    ///
    /// - Parameters:
    ///   - bytes: The frame up to the end of the key at least.
    ///   - salt: The salt of the file they come from.
    /// - Returns: The checksum, for going on with the value; nil if it does not match.
    func checkedKey(_ bytes: UnsafeRawBufferPointer, salt: UInt32) -> CRC32C? {
        var checksum = CRC32C(salt: salt)
        checksum.update(UnsafeRawBufferPointer(rebasing: bytes[..<16]))
        checksum.update(UnsafeRawBufferPointer(rebasing: bytes[Self.size..<Self.size + self.keyLength]))
        return checksum.value == bytes.littleEndian(at: 16, as: UInt32.self) ? checksum : nil
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
        return checksum.value == bytes.littleEndian(at: 20, as: UInt32.self)
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
