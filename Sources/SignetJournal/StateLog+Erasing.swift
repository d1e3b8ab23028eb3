//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

extension StateLog {
    /// Takes all bytes out of the files that are not of a live record, before it returns.
    ///
    /// As `compact`, but it waits for one that is under way, and removes the copies of damaged bytes too: whose they are
    /// cannot be told. A record that turns out damaged gives way to the one before it, which comes back by that: who erases
    /// looks at the records again afterwards.
    ///
    /// - Returns: How many files with copies of damaged bytes went.
    /// - Throws: What the disk says, `diskFull` above all; the same call goes on with it.
    package func erase() throws(StorageError) -> Int {
        try self.compacting.withLock { _ throws(StorageError) in
            var compaction = try Compaction(self)
            try compaction.write()
            try compaction.publish()
            try compaction.adopt()
            try compaction.removeSources()
            return try self.state.withLock { _ throws(StorageError) in
                // Under the lock, so that no file that is being made is taken for one that a crash left unfinished.
                try self.quarantine.erase([.log, .snapshot])
            }
        }
    }
}
