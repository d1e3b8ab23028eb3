// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension Journal {
    /// Continues in the folder that has the path of a removed one, or makes it.
    ///
    /// Open files still have their bytes; the next `sync` or `maintain` writes them to the new folder. The frames of
    /// all other files are lost, and counted in `damagedFrames`.
    ///
    /// - Throws: `locked` when another journal has that folder, `directoryUnusable` when one left files in it, and the
    ///   disk's error.
    func reopen(_ state: inout State) throws(StorageError) {
        try self.folder.reopen { other throws(StorageError) in
            try self.lock.renew(in: other, name: Self.lockName) { other throws(StorageError) in
                try other.checkHasNone(of: [.journal, .acknowledgements])
            }
        }
        self.quarantine.forget()
        state.move(to: self.folder)
    }

    /// Does the work that appends leave.
    ///
    /// It removes unneeded files, compacts, flushes files held open for that, and rewrites files that lost their folder
    /// or failed to flush.
    ///
    /// Acknowledging and `sync` do the same. A journal that only appends and drops the oldest frames needs this call
    /// now and then, for example each second. It returns at once when there is nothing to do.
    ///
    /// - Throws: The disk's error; the next call tries all steps again.
    package func maintain() throws(StorageError) {
        let (hasSuspects, needsUpkeep) = try self.state.withLock { state throws(StorageError) in
            try state.checkOpen(self.folder)
            return (state.hasSuspects, state.needsUpkeep || state.isSparse || state.segments.contains(where: \.isHeld))
        }
        if hasSuspects { try self.upkeep.withLock { _ throws(StorageError) in try self.replaceSuspects() } }
        if needsUpkeep { try self.reclaim(keeping: 0) }
    }
}

extension Journal.State {
    var hasSuspects: Bool {
        self.segments.contains(where: \.isSuspect)
    }

    /// Stops appending to a file without a name; its frames are read from it until they are written to another one.
    mutating func leaveRemovedFile(_ folder: Folder) {
        self.isFolderGone = folder.isRemoved
        guard self.isWriting else { return }
        self.seal()
        self.segments[self.segments.count - 1].isSuspect = true
        self.needsUpkeep = true
    }

    /// Adapts to a new folder that contains none of the files.
    mutating func move(to folder: Folder) {
        self.isFolderGone = false
        self.canMap = self.options.storage == .automatic && folder.canBeMapped
        self.seal()
        for segment in self.segments where segment.file == nil {
            self.damagedFrames += segment.live
            self.liveCount -= segment.live
            self.liveBytes -= segment.liveBytes
            self.sealedBytes -= segment.end
        }
        self.segments.removeAll { $0.file == nil }
        for index in self.segments.indices {
            self.segments[index].isSuspect = true
            self.segments[index].flushedEnd = 0
            self.segments[index].isHeld = index + Self.openFiles < self.segments.count
        }
        self.acknowledgements.seal()
        for slot in self.acknowledgements.used {
            self.acknowledgements.slots[slot]?.isSuspect = true
        }
        self.released = []
        self.readFiles = []
        // No sync holds for the new folder.
        self.synced = Synced(sequence: 0, acknowledgements: 0)
        self.spare = SpareFile(folder: folder, name: "journal.spare")
        self.spare.hold()
        self.needsUpkeep = true
    }
}
