// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The fixed part of a journal's frame: its lengths and its sequence.
///
/// A frame is this header, a stamp and a payload, without padding. Its checksum is written last: a checksum of zero
/// shows that a crash came before the frame was complete.
package struct JournalFrame: Sendable, Equatable {
    /// The length of the header, in bytes.
    package static let size = 16

    /// The maximum length of a stamp, in bytes.
    package static let stampLimit = (1 << 8) - 1

    /// The maximum length of a payload, in bytes.
    package static let payloadLimit = (1 << 24) - 1

    /// The highest sequence that is accepted; counting on from it never exceeds the 48 bits of the field.
    static let sequenceLimit: UInt64 = 1 << 47

    /// The length of the header's part that the first checksum covers.
    private static let checkedSize = 10

    /// The sequence of the frame.
    package var sequence: UInt64

    /// The length of the stamp, in bytes.
    package var stampLength: Int

    /// The length of the payload, in bytes.
    package var payloadLength: Int

    /// The length of the whole frame, in bytes.
    package var length: Int { Self.size + self.stampLength + self.payloadLength }

    /// Makes the header of a frame to be written.
    package init(sequence: UInt64, stampLength: Int, payloadLength: Int) {
        self.sequence = sequence
        self.stampLength = stampLength
        self.payloadLength = payloadLength
    }

    /// Reads a header, without checking a checksum.
    ///
    /// - Parameter bytes: At least `size` bytes.
    init(_ bytes: UnsafeRawPointer) {
        let first = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        let high = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self))
        self.payloadLength = Int(truncatingIfNeeded: first & 0xFF_FFFF)
        self.stampLength = Int(truncatingIfNeeded: first >> 24 & 0xFF)
        self.sequence = first >> 32 | UInt64(high) << 32
    }

    /// Writes a whole frame: header, stamp, the two pieces of the payload, and then the checksum.
    ///
    /// - Parameters:
    ///   - place: The destination, whose bytes are zero.
    ///   - seed: The checksum of the file's salt.
    ///   - stamp: The stamp, with the length in the header.
    ///   - payload: The first piece of the payload.
    ///   - rest: The second piece.
    func write(
        to place: UnsafeMutableRawPointer,
        seed: CRC32C,
        stamp: UnsafeRawBufferPointer,
        payload: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer
    ) {
        let lengths = UInt64(UInt32(truncatingIfNeeded: self.payloadLength | self.stampLength << 24))
        let high = UInt16(truncatingIfNeeded: self.sequence >> 32)
        place.storeBytes(of: (lengths | self.sequence << 32).littleEndian, as: UInt64.self)
        place.storeBytes(of: high.littleEndian, toByteOffset: 8, as: UInt16.self)
        var checksum = seed
        checksum.update(UnsafeRawBufferPointer(start: place, count: Self.checkedSize))
        checksum.update(stamp)
        place.storeBytes(of: checksum.folded.littleEndian, toByteOffset: 10, as: UInt16.self)
        var next = place + Self.size
        next = Self.copy(stamp, to: next)
        next = Self.copy(payload, to: next)
        next = Self.copy(rest, to: next)
        let body = UnsafeRawPointer(place) + Self.size + self.stampLength
        checksum.update(UnsafeRawBufferPointer(start: body, count: self.payloadLength))
        // A killed process has performed the earlier stores in program order, if the compiler keeps that order.
        atomicMemoryFence(ordering: .releasing)
        place.storeBytes(of: checksum.finished.littleEndian, toByteOffset: 12, as: UInt32.self)
    }

    @inline(__always)
    private static func copy(
        _ bytes: UnsafeRawBufferPointer,
        to place: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        if let start = bytes.baseAddress { place.copyMemory(from: start, byteCount: bytes.count) }
        return place + bytes.count
    }

    /// Checks header and stamp.
    ///
    /// - Parameters:
    ///   - bytes: The frame, at least up to the end of the stamp.
    ///   - seed: The checksum of the file's salt.
    /// - Returns: The checksum of header and stamp, for continuing with the payload; nil if it does not match.
    @inline(__always)
    func checkedStamp(_ bytes: UnsafeRawPointer, seed: CRC32C) -> CRC32C? {
        var checksum = seed
        checksum.update(UnsafeRawBufferPointer(start: bytes, count: Self.checkedSize))
        checksum.update(UnsafeRawBufferPointer(start: bytes + Self.size, count: self.stampLength))
        let check = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 10, as: UInt16.self))
        return checksum.folded == check ? checksum : nil
    }

    /// Checks every byte of the frame.
    ///
    /// - Parameters:
    ///   - bytes: The whole frame.
    ///   - seed: The checksum of the file's salt.
    /// - Returns: True if both checksums match.
    func isSound(_ bytes: UnsafeRawPointer, seed: CRC32C) -> Bool {
        guard var checksum = self.checkedStamp(bytes, seed: seed) else { return false }
        let body = bytes + Self.size + self.stampLength
        checksum.update(UnsafeRawBufferPointer(start: body, count: self.payloadLength))
        return checksum.finished == UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
    }

    /// The salt of the file for which the frame's checksum is right.
    ///
    /// - Parameter bytes: The whole frame.
    /// - Returns: The salt; nil for a checksum that stands for two.
    func salt(_ bytes: UnsafeRawPointer) -> UInt32? {
        let checksum = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        guard checksum != .max else { return nil }
        return CRC32C.salt(
            of: checksum,
            UnsafeRawBufferPointer(start: bytes, count: Self.checkedSize),
            UnsafeRawBufferPointer(start: bytes + Self.size, count: self.stampLength + self.payloadLength)
        )
    }

    /// True if the checksum, which is written last, is missing.
    static func isUnfinished(_ bytes: UnsafeRawPointer) -> Bool {
        bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self) == 0
    }

    /// Returns the stamp within the bytes of the frame.
    func stamp(_ bytes: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes + Self.size, count: self.stampLength)
    }

    /// Returns the payload within the bytes of the frame.
    func payload(_ bytes: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes + Self.size + self.stampLength, count: self.payloadLength)
    }
}

extension CRC32C {
    /// The checksum of a header and stamp, in 16 bits.
    fileprivate var folded: UInt16 {
        UInt16(truncatingIfNeeded: self.value ^ self.value >> 16)
    }

    /// The checksum of a whole frame; never zero, which marks an incomplete frame.
    fileprivate var finished: UInt32 {
        self.value == 0 ? .max : self.value
    }
}
