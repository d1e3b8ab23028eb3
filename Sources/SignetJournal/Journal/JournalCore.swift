// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// What the parts of a journal share: the folder, and the state that the journal's lock protects.
struct JournalCore: Sendable {
    let store: StoreFolder
    let state: Locked<JournalState>

    var folder: Folder { self.store.folder }

    /// Continues in the folder that has the path of a removed one, or makes it.
    ///
    /// Open files still have their bytes; the next `sync` or `maintain` writes them to the new folder. The frames of
    /// all other files are lost, and counted in `damagedFrames`.
    ///
    /// - Throws: `locked` when another journal has that folder, `directoryUnusable` when one left files in it, and the
    ///   disk's error.
    func reopen(_ state: inout JournalState) throws(StorageError) {
        try self.store.reopen()
        state.leaveFolder(self.folder)
    }

    /// Runs a body under the journal's lock, unless the journal is closed.
    @inline(__always)
    func withOpenState<Result: Sendable>(
        _ body: (inout JournalState) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try self.state.withLock { state throws(StorageError) in
            try state.checkOpen(self.folder)
            return try body(&state)
        }
    }
}
