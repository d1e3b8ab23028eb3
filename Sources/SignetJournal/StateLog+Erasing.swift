// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension StateLog {
    /// Removes all bytes from the files that do not belong to a live record, before it returns.
    ///
    /// It works like `compact`, but waits for a running one, and also removes the copies of damaged bytes, because
    /// their owner is unknown. A damaged record gives way to the previous one, which becomes valid again; check the
    /// records again afterwards.
    ///
    /// - Returns: The number of removed files with copies of damaged bytes.
    /// - Throws: The disk's error, mostly `diskFull`; the same call continues the work.
    package func erase() throws(StorageError) -> Int {
        try self.compacting.withLock { _ throws(StorageError) in
            var compaction = try Compaction(self)
            try compaction.write()
            try compaction.publish()
            try compaction.adopt()
            try compaction.removeSources()
            return try self.state.withLock { _ throws(StorageError) in
                // The lock keeps a file in the making from being taken for one that a crash left unfinished.
                try self.quarantine.erase([.log, .snapshot])
            }
        }
    }
}
