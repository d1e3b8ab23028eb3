// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension Journal {
    /// The number of frames that are not acknowledged.
    package var liveCount: Int {
        self.state.withLock { $0.liveCount }
    }

    /// The bytes of the frames that are not acknowledged; an approximation if their lengths differ.
    package var liveBytes: UInt64 {
        self.state.withLock { $0.liveBytes }
    }

    /// The bytes of the journal's files, including space reserved for the next frames.
    package var diskBytes: UInt64 {
        self.state.withLock { $0.diskBytes }
    }

    /// The sequence of the newest frame ever appended, acknowledged or not; 0 before the first.
    package var lastSequence: UInt64 {
        self.state.withLock { $0.lastSequence }
    }

    /// The number of frames appended since the journal was opened.
    package var appendedCount: Int {
        Int(self.lastSequence - self.openedAfter)
    }

    /// The number of frames found damaged since the journal was opened; those of the start are in `recovery`.
    package var damagedFrames: Int {
        self.state.withLock { $0.damagedFrames }
    }

    /// The number of frames dropped at the byte limit since the journal was opened.
    package var droppedFrames: Int {
        self.state.withLock { $0.droppedFrames }
    }

    /// The sequence up to which all frames survive a power loss.
    package var syncedSequence: UInt64 {
        self.state.withLock { $0.synced.sequence }
    }

    /// The number of file flushes since the journal was opened.
    package var syncCount: Int {
        self.state.withLock { $0.syncCount }
    }
}
