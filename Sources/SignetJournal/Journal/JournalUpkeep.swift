// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// The slow work of a journal, one caller at a time: flushes, removals, compactions and erasures.
struct JournalUpkeep: Sendable {
    /// The number of further files that stay open after an acknowledgement because their bytes are not flushed.
    ///
    /// Most are delivered and removed before a caller has to wait for the disk.
    private static let heldFiles = 32

    /// Held by the one who works; `close` waits for it.
    private let turn = Locked(false)
    private let core: StoreCore<JournalState>
    private let flush: JournalFlush
    private let removal: JournalRemoval
    private let compaction: JournalCompaction
    private let preparation: JournalPreparation

    init(_ core: StoreCore<JournalState>, _ reader: JournalReader) {
        self.core = core
        self.flush = JournalFlush(core)
        self.preparation = JournalPreparation(core)
        self.removal = JournalRemoval(core, self.flush)
        self.compaction = JournalCompaction(core, self.flush, self.removal, reader)
    }

    /// Flushes all frames and acknowledgements so far; callers that arrive during a flush share the next one.
    ///
    /// - Returns: False if a flush before the call covered them.
    func sync() throws(StorageError) -> Bool {
        let target = try self.core.withOpenState { $0.current }
        guard !self.core.state.withLock({ $0.covers(target) }) else { return false }
        try self.turn.withLock { _ throws(StorageError) in
            // The previous holder of the lock may have flushed for this caller too.
            guard !self.core.state.withLock({ $0.covers(target) }) else { return }
            try self.flush.run()
        }
        return true
    }

    /// Does the work that appends leave.
    func maintain() throws(StorageError) {
        let (hasSuspects, needsUpkeep) = try self.core.withOpenState { ($0.segments.hasSuspects, $0.needsMaintenance) }
        if hasSuspects { try self.turn.withLock { _ throws(StorageError) in try self.flush.replaceSuspects() } }
        if needsUpkeep { try self.reclaim(keeping: 0) }
    }

    /// Removes files that are no longer needed, and compacts files with few live frames.
    ///
    /// A failure of one step does not stop the others.
    ///
    /// - Parameter kept: The number of files that may stay open for a flush.
    /// - Throws: The disk's error.
    func reclaim(keeping kept: Int = Self.heldFiles) throws(StorageError) {
        try self.turn.withLock { _ throws(StorageError) in
            // Work that was handed over may begin after the journal was closed.
            guard !self.core.state.withLock({ $0.isClosed }) else { return }
            var failure: StorageError?
            self.preparation.run()
            self.preparation.cutSealed()
            // Acknowledgements from here on set it again.
            self.core.state.withLock { state in state.withSegments { $0.beginUpkeep() } }
            do throws(StorageError) {
                try self.removal.removeDeadSegments()
            } catch {
                self.core.state.withLock { state in state.withSegments { $0.requestUpkeep() } }
                failure = error
            }
            self.flush.flushHeld(beyond: kept)
            self.core.holdSpare()
            self.compaction.run()
            do throws(StorageError) {
                if self.core.state.withLock({ $0.needsRewrite }) { try self.removal.rewriteAcknowledgements() }
            } catch {
                failure = failure ?? error
            }
            if let failure { throw failure }
        }
    }

    /// Does the same after a call that has succeeded, so a failure here is ignored.
    func reclaimAside() {
        do throws(StorageError) {
            try self.reclaim()
        } catch {
            // Space is not freed yet. The next acknowledgement tries again, and reports the disk's error.
        }
    }

    /// Erases frames.
    func erase(
        where isWanted: (UInt64, UnsafeRawBufferPointer) -> Bool,
        changing: (UnsafeRawBufferPointer) -> [UInt8]?,
        letGo: (Int) -> Void
    ) throws(StorageError) -> Journal.Erasure {
        try self.turn.withLock { _ throws(StorageError) in
            try self.flush.replaceSuspects()
            let eraser = JournalEraser(self.core, self.preparation, self.removal, self.compaction)
            return try eraser.run(where: isWanted, changing: changing, letGo: letGo)
        }
    }

    /// Releases all files, once no task works on them.
    func close() {
        self.turn.withLock { _ in
            self.preparation.discard()
            self.core.state.withLock { state in state.withSegments { $0.seal() } }
            self.preparation.cutSealed()
            self.removal.removeFlushed()
            self.core.state.withLock { $0.clear() }
        }
    }
}
