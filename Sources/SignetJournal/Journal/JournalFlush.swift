// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Makes a journal's frames and acknowledgements survive a power loss; the caller holds the upkeep's lock.
struct JournalFlush: Sendable {
    private let core: StoreCore<JournalState>

    init(_ core: StoreCore<JournalState>) {
        self.core = core
    }

    /// Flushes everything that no flush covers yet.
    func run() throws(StorageError) {
        let (position, files, acknowledgements) = try self.core.withOpenState { state in
            (state.current, state.segments.flushPlan, state.acknowledgements.flushPlan)
        }
        let flushed = files.perform(in: self.core.folder)
        let acknowledged = acknowledgements.perform(in: self.core.folder)
        self.core.state.withLock { state in
            state.finishSegments(flushed)
            // Before anything throws: a failed flush that is forgotten would be repeated on the same file.
            state.finishAcknowledgements(acknowledged)
        }
        try self.replaceSuspects()
        try self.core.replaceSuspects()
        self.core.state.withLock { $0.noteSync(position) }
    }

    /// Makes the acknowledgements so far survive a power loss.
    ///
    /// - Returns: The numbers of the files that had no live frame when the flush was planned; it covers each
    ///   acknowledgement of only those.
    @discardableResult
    func flushAcknowledgements() throws(StorageError) -> Set<UInt64> {
        let (plan, written, dead) = self.core.state.withLock { state in
            (
                state.acknowledgements.flushPlan, state.acknowledgements.written,
                Set(state.segments.deadSegments.map(\.number))
            )
        }
        let outcome = plan.perform(in: self.core.folder)
        self.core.state.withLock { $0.finishAcknowledgements(outcome) }
        try self.core.replaceSuspects()
        self.core.state.withLock { $0.noteSync(acknowledgements: written) }
        return dead
    }

    /// Flushes and closes files that are open only for that.
    ///
    /// - Parameter kept: The number of newest files that may stay open.
    func flushHeld(beyond kept: Int) {
        for segment in self.core.state.withLock({ $0.segments.held(beyond: kept) }) {
            let isFlushed = FlushPlan.flush(segment.state, segment.file, in: self.core.folder)
            self.core.state.withLock { state in
                if isFlushed { state.countFlush() }
                state.withSegments { $0.update(segment.number) { $0.finish(segment.end, isFlushed: isFlushed) } }
            }
        }
    }

    /// Replaces files whose flush failed with flushed copies.
    func replaceSuspects() throws(StorageError) {
        try self.core.state.withLock { state throws(StorageError) in
            if self.core.folder.isRemoved { try state.reopen(self.core.store) }
        }
        for segment in self.core.state.withLock({ $0.segments.suspects }) {
            let copy = try segment.copy(in: self.core.folder)
            // The name leads to the copy from here on, even if the folder's flush fails.
            self.core.state.withLock { state in state.withSegments { $0.update(segment.number) { $0.adoptCopy(copy) } }
            }
            try self.core.folder.sync()
            self.core.state.withLock { state in
                state.withSegments { $0.update(segment.number) { $0.finishCopy(upTo: segment.end) } }
                state.countFlush()
            }
        }
    }
}
