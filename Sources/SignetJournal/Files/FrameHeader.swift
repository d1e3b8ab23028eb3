// SPDX-License-Identifier: Apache-2.0

/// The fixed part of a frame: its kind, its lengths, and its sequence.
///
/// A frame is this header, a key and a value. The first checksum covers header and key, the second also the value. So
/// the key of a damaged value is still known.
package struct FrameHeader: Sendable, Equatable {
    /// The meaning of a frame.
    package enum Kind: UInt8, Sendable {
        /// The key has this value from now on.
        case put = 1
        /// The key has no value from now on.
        case remove = 2
        /// The key has this value from now on, and its record is due: the runtime has work to do for it.
        case putDue = 3
        /// Acknowledged sequences: pairs of first and last.
        case acknowledge = 4
        /// The snapshot is complete.
        case end = 5
        /// A copy of bytes of another file; the sequence is their offset there.
        case copy = 6

        /// True if the frame gives its key a value.
        package var isPut: Bool { self == .put || self == .putDue }
    }

    /// The first byte of each frame; UTF-8 never contains it, so a search among JSON finds only frames.
    static let mark: UInt8 = 0xF5

    /// The length of the header, in bytes.
    package static let size = 24

    /// The maximum length of a key, in bytes.
    package static let keyLimit = 1 << 10

    /// The maximum length of a value, in bytes.
    package static let valueLimit = 16 << 20

    /// The highest sequence that is accepted; counting on from it cannot overflow.
    static let sequenceLimit: UInt64 = 1 << 62

    /// The meaning of the frame.
    package var kind: Kind

    /// The length of the key, in bytes.
    package var keyLength: Int

    /// The length of the value, in bytes.
    package var valueLength: Int

    /// The sequence of the frame; a newer frame has a higher one.
    package var sequence: UInt64

    /// The length of the whole frame, in bytes.
    package var length: Int { Self.size + self.keyLength + self.valueLength }

    init(kind: Kind, keyLength: Int, valueLength: Int, sequence: UInt64) {
        self.kind = kind
        self.keyLength = keyLength
        self.valueLength = valueLength
        self.sequence = sequence
    }

    /// Appends an encoded frame to a buffer.
    ///
    /// - Parameters:
    ///   - kind: The meaning of the frame.
    ///   - sequence: The frame's sequence.
    ///   - key: At most `keyLimit` bytes.
    ///   - value: At most `valueLimit` bytes.
    ///   - salt: The salt of the file it goes to.
    ///   - buffer: The buffer it is appended to.
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

    /// Appends an encoded frame to a buffer.
    static func encode(
        _ kind: Kind,
        sequence: UInt64,
        key: [UInt8] = [],
        value: [UInt8] = [],
        salt: UInt32,
        to buffer: inout [UInt8]
    ) {
        key.withUnsafeBytes { key in
            value.withUnsafeBytes { value in
                self.encode(kind, sequence: sequence, key: key, value: value, salt: salt, to: &buffer)
            }
        }
    }

    /// Reads the fixed part, without checking a checksum.
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

    /// Returns the checksum over header and key, if it matches.
    ///
    /// - Parameters:
    ///   - bytes: The frame, at least up to the end of the key.
    ///   - salt: The salt of the file the bytes come from.
    /// - Returns: The checksum, for continuing with the value; nil if it does not match.
    func checkedKey(_ bytes: UnsafeRawBufferPointer, salt: UInt32) -> CRC32C? {
        var checksum = CRC32C(salt: salt)
        checksum.update(UnsafeRawBufferPointer(rebasing: bytes[..<16]))
        checksum.update(UnsafeRawBufferPointer(rebasing: bytes[Self.size..<Self.size + self.keyLength]))
        return checksum.value == bytes.littleEndian(at: 16, as: UInt32.self) ? checksum : nil
    }

    /// Checks that the value is intact.
    ///
    /// - Parameters:
    ///   - bytes: The whole frame.
    ///   - checksum: The checksum over header and key.
    /// - Returns: True if the second checksum matches.
    func checksValue(_ bytes: UnsafeRawBufferPointer, after checksum: CRC32C) -> Bool {
        var checksum = checksum
        checksum.update(self.value(in: bytes))
        return checksum.value == bytes.littleEndian(at: 20, as: UInt32.self)
    }

    /// Returns the key within the bytes of the frame.
    func key(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Self.size..<Self.size + self.keyLength])
    }

    /// Returns the value within the bytes of the frame.
    func value(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Self.size + self.keyLength..<self.length])
    }

    /// Returns the header of a frame that is intact from its first to its last byte.
    ///
    /// - Parameters:
    ///   - bytes: The bytes at the frame's place, as many as the frame should have.
    ///   - salt: The salt of the file the bytes come from.
    /// - Returns: The header; nil if any byte has changed.
    static func sound(_ bytes: UnsafeRawBufferPointer, salt: UInt32) -> FrameHeader? {
        guard bytes.count >= Self.size, let header = FrameHeader(bytes), header.length == bytes.count,
            let checksum = header.checkedKey(bytes, salt: salt), header.checksValue(bytes, after: checksum)
        else { return nil }
        return header
    }
}
