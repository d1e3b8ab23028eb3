// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension Journal {
    /// Returns frames that are not acknowledged, in order.
    ///
    /// A damaged frame is copied to an aside file, counted in `damagedFrames` and left out for good, so that it does
    /// not block the frames after it.
    ///
    /// - Parameters:
    ///   - sequence: The sequence above which frames are returned; 0 for all.
    ///   - limit: The maximum number of frames.
    /// - Returns: The frames; fewer than `limit` only if there are no more.
    /// - Throws: `closed`, or an error when the disk cannot be read.
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

    /// Returns one frame.
    ///
    /// - Returns: The frame; nil if there is none, or if it was acknowledged.
    /// - Throws: `damagedRecord` when its bytes are damaged; afterwards there is no such frame.
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
        // It was acknowledged meanwhile, or is damaged; concurrent damage elsewhere gives the same error.
        if frame == nil, self.damagedFrames > damaged { throw StorageError.damaged(self.folder.path, of: sequence) }
        return frame
    }
}
