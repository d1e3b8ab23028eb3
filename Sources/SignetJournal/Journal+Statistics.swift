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

    /// The bytes of the frames that are not acknowledged; where their lengths differ, about that many.
    package var liveBytes: UInt64 {
        self.state.withLock { $0.liveBytes }
    }

    /// The bytes of the journal's files, those that are reserved for the next frames among them.
    package var diskBytes: UInt64 {
        self.state.withLock { $0.diskBytes }
    }

    /// The number of the newest frame ever appended, acknowledged or not; 0 before the first.
    package var lastSequence: UInt64 {
        self.state.withLock { $0.lastSequence }
    }

    /// How many frames were appended since the journal was opened.
    package var appendedCount: Int {
        Int(self.lastSequence - self.openedAfter)
    }

    /// How many frames were found damaged since the journal was opened; those of the start are in `recovery`.
    package var damagedFrames: Int {
        self.state.withLock { $0.damagedFrames }
    }

    /// How many frames were let go at the byte limit since the journal was opened.
    package var droppedFrames: Int {
        self.state.withLock { $0.droppedFrames }
    }

    /// All frames up to this one survive a loss of power.
    package var syncedSequence: UInt64 {
        self.state.withLock { $0.synced.sequence }
    }

    /// How often the bytes of a file were flushed since the journal was opened.
    package var syncCount: Int {
        self.state.withLock { $0.syncCount }
    }
}
