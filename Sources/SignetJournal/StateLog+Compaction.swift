// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension StateLog {
    /// True if outdated records take so much more space than live ones that `compact` is worth its work.
    package var needsCompaction: Bool {
        self.state.withLock { state in
            let live = state.index.frameBytes
            let outdated = state.files.bytes - min(state.files.bytes, live)
            return outdated > max(live, UInt64(max(0, self.options.compactionBytes)))
        }
    }

    /// Writes the live records to a snapshot, and removes all files that it replaces.
    ///
    /// Afterwards the log's files contain no byte of a record that was outdated or removed before the call; aside files
    /// may have some. Changes and reads continue meanwhile. A crash at any moment leaves either the old files or the
    /// snapshot complete. A call during another call does nothing.
    ///
    /// A live record found damaged is copied to an aside file and counted in `damagedRecords`; the previous record
    /// becomes valid again, if there is one.
    ///
    /// - Throws: The disk's error, mostly `diskFull`: the snapshot needs the space of all live records. The old files
    ///   then stay in use.
    package func compact() throws(StorageError) {
        let isMine = try self.state.withLock { state throws(StorageError) -> Bool in
            try state.checkOpen(self.folder)
            if state.isCompacting { return false }
            state.isCompacting = true
            return true
        }
        guard isMine else { return }
        defer { self.state.withLock { $0.isCompacting = false } }
        try self.compacting.withLock { _ throws(StorageError) in
            var compaction = try Compaction(self)
            try compaction.write()
            try compaction.publish()
            try compaction.adopt()
            try compaction.removeSources()
        }
    }
}
