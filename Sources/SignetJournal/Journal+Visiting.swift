//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

extension Journal {
    /// Appends a frame whose payload is two pieces, one after the other.
    ///
    /// - Parameters:
    ///   - stamp: At most 255 bytes.
    ///   - payload: Its first piece.
    ///   - rest: Its second piece.
    /// - Returns: Its sequence, above all that were given before.
    /// - Throws: What the disk says; then there is no such frame.
    package func append(
        stamp: UnsafeRawBufferPointer,
        payload: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws(StorageError) -> UInt64 {
        try self.append(stamp: Array(stamp), payload: Array(payload) + Array(rest))
    }

    /// Looks at the frames that are not acknowledged, oldest first.
    ///
    /// - Parameters:
    ///   - sequence: Only frames above it; 0 for all.
    ///   - limit: At most that many.
    ///   - body: Gets sequence, stamp and the length of the payload; the bytes are gone after it.
    /// - Returns: The sequence of the last one; nil when there was none.
    /// - Throws: When the disk cannot be read, and `closed`.
    package func visit(
        after sequence: UInt64,
        limit: Int,
        _ body: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer, _ payloadCount: Int) -> Void
    ) throws(StorageError) -> UInt64? {
        let frames = try self.frames(after: sequence, limit: limit)
        for frame in frames {
            frame.stamp.withUnsafeBytes { body(frame.sequence, $0, frame.payload.count) }
        }
        return frames.last?.sequence
    }

    /// Reads frames; those that were acknowledged or are damaged are passed over.
    ///
    /// - Parameters:
    ///   - sequences: Which, ascending.
    ///   - body: Gets sequence, stamp and payload; the bytes are gone after it.
    /// - Throws: When the disk cannot be read, and `closed`.
    package func read(
        _ sequences: [UInt64],
        _ body: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) {
        for sequence in sequences {
            do throws(StorageError) {
                guard let frame = try self.frame(sequence) else { continue }
                frame.stamp.withUnsafeBytes { stamp in
                    frame.payload.withUnsafeBytes { body(sequence, stamp, $0) }
                }
            } catch {
                guard error.code == .damagedRecord else { throw error }
            }
        }
    }

    /// How many frames were appended since the journal was opened.
    package var appendedCount: Int {
        Int(self.lastSequence - self.openedAfter)
    }

    /// The bytes of the frames that are not acknowledged.
    package var liveBytes: UInt64 {
        self.state.withLock { state in
            state.segments.reduce(0) { $0 + UInt64($1.live) * 360 }
        }
    }
}
