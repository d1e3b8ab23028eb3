//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

extension Journal {
    /// Frames that are not acknowledged, in order.
    ///
    /// A frame whose bytes are damaged is set aside, counted in `damagedFrames` and left out for good: it must not keep
    /// those behind it waiting.
    ///
    /// - Parameters:
    ///   - sequence: Only frames above it; 0 for all.
    ///   - limit: At most that many.
    /// - Returns: The frames; fewer than `limit` only if there are no more.
    /// - Throws: When the disk cannot be read, and `closed`.
    package func frames(after sequence: UInt64, limit: Int) throws(StorageError) -> [Frame] {
        var frames: [Frame] = []
        var last = sequence
        while frames.count < limit {
            var sequences: [UInt64] = []
            let end = try self.visit(after: last, limit: limit - frames.count) { sequence, _, _ in
                sequences.append(sequence)
            }
            guard let end else { break }
            try self.read(sequences) { sequence, stamp, payload in
                frames.append(Frame(sequence: sequence, stamp: Array(stamp), payload: Array(payload)))
            }
            last = end
        }
        return frames
    }

    /// One frame.
    ///
    /// - Returns: Nil if there is no such frame, or if it was acknowledged.
    /// - Throws: `damagedRecord` when its bytes are damaged; after that there is no such frame.
    package func frame(_ sequence: UInt64) throws(StorageError) -> Frame? {
        var frame: Frame?
        let isLive = try self.state.withLock { state throws(StorageError) in
            try state.checkOpen(self.folder)
            return state.find(sequence) != nil
        }
        guard isLive else { return nil }
        let damaged = self.damagedFrames
        try self.read([sequence]) { sequence, stamp, payload in
            frame = Frame(sequence: sequence, stamp: Array(stamp), payload: Array(payload))
        }
        // Acknowledged meanwhile, or damaged; whoever finds other damage at the same time gets the same answer.
        if frame == nil, self.damagedFrames > damaged { throw StorageError.damaged(self.folder.path, of: sequence) }
        return frame
    }
}
