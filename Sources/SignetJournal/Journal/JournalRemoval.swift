// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Removes the files that a journal no longer needs; the caller holds the upkeep's lock.
struct JournalRemoval: Sendable {
    /// The number of files that a close removes; it bounds its time.
    private static let mostAtClose = 64

    private let core: StoreCore<JournalState>
    private let flush: JournalFlush

    init(_ core: StoreCore<JournalState>, _ flush: JournalFlush) {
        self.core = core
        self.flush = flush
    }

    /// Removes files whose frames are all acknowledged, once the acknowledgements survive a power loss.
    func removeDeadSegments() throws(StorageError) {
        if self.core.state.withLock({ $0.segments.hasDeadSegments }) {
            let dead = try self.flush.flushAcknowledgements()
            // A damaged frame went without an acknowledgement; its copy stays.
            try self.core.store.quarantine.sync()
            self.core.state.withLock { $0.release(dead) }
        }
        try self.removeReleased()
    }

    /// Removes files whose frames are all acknowledged, as far as no flush is needed, so that a close does not wait.
    func removeFlushed() {
        // A damaged frame went without an acknowledgement; its copy stays.
        guard self.core.store.quarantine.isFlushed else { return }
        let names = self.core.state.withLock { state in
            if state.acknowledgements.flushPlan.isEmpty {
                state.release(Set(state.segments.deadSegments.map(\.number)))
            }
            return state.released
        }
        do throws(StorageError) {
            for name in names.prefix(Self.mostAtClose) { try self.core.folder.remove(name) }
        } catch {
            // The next start removes it.
        }
    }

    /// Removes files that an erasure left without a live frame, the newest one among them.
    func remove(_ dead: Set<UInt64>) throws(StorageError) {
        // The newest file shows the sequences assigned so far; the new acknowledgements show them too.
        try self.rewriteAcknowledgements()
        try self.core.store.quarantine.sync()
        self.core.state.withLock { $0.release(dead) }
    }

    /// Writes all acknowledgements to one new file, and removes the old ones.
    ///
    /// A crash in between leaves both, with the same content.
    func rewriteAcknowledgements() throws(StorageError) {
        let file = self.makeAcknowledgementFile()
        let old = try self.core.state.withLock { state throws(StorageError) in
            try state.rewriteAcknowledgements(in: file)
        }
        try self.flush.flushAcknowledgements()
        self.core.state.withLock { $0.finishRewrite(old) }
        try self.removeReleased()
    }

    /// Makes a file for acknowledgements, if that must not happen under the lock.
    private func makeAcknowledgementFile() -> LogFile? {
        guard let header = self.core.state.withLock({ $0.takeAcknowledgementHeader() }) else { return nil }
        do throws(StorageError) {
            var file = try LogFile.create(in: self.core.folder, header)
            try file.finish(in: self.core.folder)
            return file
        } catch {
            // The file is made under the lock, where it may also take the space held back for a full disk.
            return nil
        }
    }

    /// Removes released files; names that cannot be removed are tried again next time.
    func removeReleased() throws(StorageError) {
        let names = self.core.state.withLock { $0.released }
        guard !names.isEmpty else { return }
        var failure: StorageError?
        var removed: Set<String> = []
        for name in names {
            do throws(StorageError) {
                try self.core.folder.remove(name)
                removed.insert(name)
            } catch {
                failure = failure ?? error
            }
        }
        if !removed.isEmpty {
            try self.core.folder.sync()
            self.core.state.withLock { $0.finishRemoval(removed) }
        }
        if let failure { throw failure }
    }
}
