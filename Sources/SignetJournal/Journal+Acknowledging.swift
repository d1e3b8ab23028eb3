// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension Journal {
    /// The size that acknowledgement files reach before they are rewritten, in bytes.
    private static let acknowledgementBytes: UInt64 = 64 << 10

    /// Acknowledges frames, which are then never shown again, even after a restart.
    ///
    /// It also works on a full disk. A file whose frames are all acknowledged is removed once no more frames go to it.
    /// Acknowledgements survive a power loss before that removal. Files with few live frames are compacted.
    ///
    /// - Parameter sequences: The sequences in any order; unknown or already acknowledged ones are skipped.
    /// - Throws: The disk's error. If no acknowledgement could be written, the frames are live as before. If only a
    ///   file could not be removed, they are acknowledged, and the next call removes the file.
    package func acknowledge(_ sequences: [UInt64]) throws(StorageError) {
        let needsUpkeep = try self.state.withLock { state throws(StorageError) in
            try state.checkOpen(self.folder)
            var ranges = SequenceRanges()
            for sequence in sequences where state.find(sequence) != nil {
                ranges.insert(sequence...sequence)
            }
            guard !ranges.ranges.isEmpty else { return false }
            try state.appendAcknowledgements(ranges)
            for sequence in sequences {
                state.drop(sequence)
            }
            return state.needsUpkeep || state.isSparse || state.needsCount
                || state.acknowledgements.bytes > self.rewriteLimit(state)
        }
        if needsUpkeep { try self.reclaim() }
    }

    /// Removes files that are no longer needed, and compacts files with few live frames.
    ///
    /// A failure of one step does not stop the others.
    ///
    /// - Parameter kept: The number of files that may stay open for a flush; most are delivered and removed before a
    ///   caller has to wait for the disk.
    /// - Throws: The disk's error.
    func reclaim(keeping kept: Int = State.heldFiles / 2) throws(StorageError) {
        try self.upkeep.withLock { _ throws(StorageError) in
            var failure: StorageError?
            // Acknowledgements from here on set it again.
            self.state.withLock { $0.needsUpkeep = false }
            do throws(StorageError) {
                try self.removeDeadSegments()
            } catch {
                self.state.withLock { $0.needsUpkeep = true }
                failure = error
            }
            self.flushHeld(beyond: kept)
            self.state.withLock { $0.holdSpare() }
            self.compact()
            do throws(StorageError) {
                if self.state.withLock({ $0.acknowledgements.bytes > self.rewriteLimit($0) }) {
                    try self.rewriteAcknowledgements()
                }
            } catch {
                failure = failure ?? error
            }
            if let failure { throw failure }
        }
    }

    private func removeDeadSegments() throws(StorageError) {
        if self.state.withLock({ $0.hasDeadSegments }) {
            let dead = try self.flushAcknowledgements()
            // A damaged frame went without an acknowledgement; its copy stays.
            try self.quarantine.sync()
            self.state.withLock { $0.releaseSegments(dead) }
        }
        try self.removeReleased()
    }

    private func rewriteLimit(_ state: borrowing State) -> UInt64 {
        max(Self.acknowledgementBytes, self.options.segmentSize / 8, 2 * state.rewrittenBytes)
    }

    /// Makes the acknowledgements so far survive a power loss.
    ///
    /// - Returns: The numbers of the files that had no live frame when the flush was planned; it covers each
    ///   acknowledgement of only those.
    @discardableResult
    func flushAcknowledgements() throws(StorageError) -> Set<UInt64> {
        let (plan, written, dead) = self.state.withLock { state in
            (state.acknowledgements.flushPlan, state.written, Set(state.deadSegments.map(\.header.number)))
        }
        let outcome = plan.perform(self.folder)
        try self.state.withLock { state throws(StorageError) in
            state.syncCount += outcome.flushed.count
            try state.acknowledgements.finish(plan, outcome)
            state.synced.acknowledgements = max(state.synced.acknowledgements, written)
        }
        return dead
    }

    /// Writes all acknowledgements to one new file, and removes the old ones.
    ///
    /// A crash in between leaves both, with the same content.
    func rewriteAcknowledgements() throws(StorageError) {
        let old = try self.state.withLock { state throws(StorageError) in
            let old = state.acknowledgements.used
            state.acknowledgements.seal()
            try state.appendAcknowledgements(state.deadRanges)
            return old
        }
        try self.flushAcknowledgements()
        self.state.withLock { state in
            for slot in old {
                if let name = state.acknowledgements.slots[slot]?.name { state.released.append(name) }
                state.acknowledgements.remove(slot)
            }
            state.rewrittenBytes = state.acknowledgements.bytes
        }
        try self.removeReleased()
    }

    /// Removes released files; names that cannot be removed are tried again next time.
    func removeReleased() throws(StorageError) {
        let names = self.state.withLock { $0.released }
        guard !names.isEmpty else { return }
        var failure: StorageError?
        var removed: Set<String> = []
        for name in names {
            do throws(StorageError) {
                try self.folder.remove(name)
                removed.insert(name)
            } catch {
                failure = failure ?? error
            }
        }
        if !removed.isEmpty {
            try self.folder.sync()
            self.state.withLock { $0.released.removeAll { removed.contains($0) } }
        }
        if let failure { throw failure }
    }
}

extension Journal.State {
    /// The number of segments that take no more frames.
    var sealedCount: Int {
        self.isWriting ? self.segments.count - 1 : self.segments.count
    }

    var hasDeadSegments: Bool {
        self.segments.dropLast().contains { $0.live == 0 }
    }

    /// The files without a live frame, except the newest, which after a restart shows the sequences assigned so far.
    var deadSegments: [JournalSegment] {
        self.segments.dropLast().filter { $0.live == 0 }
    }

    mutating func releaseSegments(_ numbers: Set<UInt64>) {
        var kept: [JournalSegment] = []
        kept.reserveCapacity(self.segments.count)
        for segment in self.segments {
            if numbers.contains(segment.header.number) {
                self.released.append(segment.name)
                self.sealedBytes -= segment.end
            } else {
                kept.append(segment)
            }
        }
        self.segments = kept
    }

    /// The sequences of dead frames that are still in files.
    var deadRanges: SequenceRanges {
        var ranges = SequenceRanges()
        for segment in self.segments {
            let count = segment.index.count
            var first = segment.dead.nextPresent(from: 0, limit: count)
            while first < count {
                let end = segment.dead.nextMissing(from: first, limit: count)
                ranges.insert(segment.index.sequence(of: first)...segment.index.sequence(of: end - 1))
                first = segment.dead.nextPresent(from: end, limit: count)
            }
        }
        return ranges
    }
}
