//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

extension Journal {
    /// How many frames are not acknowledged.
    package var liveCount: Int {
        self.state.withLock { $0.liveCount }
    }

    /// The bytes of the frames that are not acknowledged; as if all frames of a file were of one length.
    package var liveBytes: UInt64 {
        self.state.withLock { $0.liveBytes }
    }

    /// The bytes of all its files.
    package var diskBytes: UInt64 {
        self.state.withLock { $0.files.bytes + $0.acknowledgements.bytes }
    }

    /// The number of the newest frame ever appended, acknowledged or not; 0 before the first.
    package var lastSequence: UInt64 {
        self.state.withLock { $0.lastSequence }
    }

    /// How many frames were appended since the journal was opened.
    package var appendedCount: Int {
        self.state.withLock { $0.appendedCount }
    }

    /// How many frames made room for newer ones since the journal was opened.
    package var droppedFrames: Int {
        self.state.withLock { $0.droppedFrames }
    }

    /// How many frames were found damaged since the journal was opened; those of the start are in `recovery`.
    package var damagedFrames: Int {
        self.state.withLock { $0.damagedFrames }
    }

    /// How many flushes of files there were since the journal was opened.
    package var syncCount: Int {
        self.state.withLock { $0.syncCount }
    }
}
