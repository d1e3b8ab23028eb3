// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension Journal {
    /// Makes all frames and acknowledgements so far survive a power loss.
    ///
    /// Callers that arrive during a flush wait for it, and one of them then flushes for all. A failed flush is not
    /// retried on the same file, where it would seem to work. Instead the bytes are written to a new file, which is
    /// flushed and replaces the old one.
    ///
    /// - Throws: An error when that fails too. The frames stay readable; the next call writes them again first.
    package func sync() throws(StorageError) {
        let target = try self.state.withLock { state throws(StorageError) in
            try state.checkOpen(self.folder)
            return state.current
        }
        guard !self.covers(target) else { return }
        try self.upkeep.withLock { _ throws(StorageError) in
            // The previous holder of the lock may have flushed for this caller too.
            guard !self.covers(target) else { return }
            try self.flush()
        }
        if self.state.withLock({ $0.needsUpkeep }) { self.reclaimAside() }
    }

    private func covers(_ target: State.Synced) -> Bool {
        self.state.withLock {
            $0.synced.sequence >= target.sequence && $0.synced.acknowledgements >= target.acknowledgements
        }
    }

    /// Flushes everything that no flush covers yet; the caller holds the upkeep lock.
    private func flush() throws(StorageError) {
        let plan = try self.state.withLock { state throws(StorageError) in
            try state.checkOpen(self.folder)
            return SyncPlan(state)
        }
        let failed = plan.segments.filter { !self.flush($0) }
        let areNamesFlushed = plan.newNames.isEmpty ? true : self.flushNames()
        let acknowledgements = plan.acknowledgements.perform(self.folder)
        self.state.withLock { state in
            state.syncCount += plan.segments.count - failed.count + acknowledgements.flushed.count
            state.finish(plan, failed: failed.map(\.header.number), areNamesFlushed: areNamesFlushed)
            state.releaseHeld()
        }
        try self.replaceSuspects()
        try self.state.withLock { state throws(StorageError) in
            try state.acknowledgements.finish(plan.acknowledgements, acknowledgements)
            state.synced = plan.current
        }
    }

    private func flush(_ segment: JournalSegment) -> Bool {
        // A suspect file is not flushed again, because success would prove nothing. A file without a name would not be
        // found after a restart.
        guard !segment.isSuspect else { return false }
        do throws(StorageError) {
            let file = try segment.open(in: self.folder)
            guard try file.status().links > 0 else { return false }
            try file.sync()
            return true
        } catch {
            return false
        }
    }

    /// Flushes and closes files that are open only for that; the caller holds the upkeep lock.
    ///
    /// - Parameter kept: The number of newest files that may stay open.
    func flushHeld(beyond kept: Int) {
        for segment in self.state.withLock({ $0.held(beyond: kept) }) {
            let isFlushed = self.flush(segment)
            self.state.withLock { state in
                guard let index = state.segmentIndex(of: segment.header.number) else { return }
                if isFlushed {
                    state.segments[index].flushedEnd = segment.end
                    state.syncCount += 1
                } else {
                    state.segments[index].isSuspect = true
                }
                state.releaseHeld()
            }
        }
    }

    private func flushNames() -> Bool {
        do throws(StorageError) {
            try self.folder.sync()
            return true
        } catch {
            return false
        }
    }

    /// Replaces files whose flush failed with flushed copies.
    func replaceSuspects() throws(StorageError) {
        try self.state.withLock { state throws(StorageError) in
            if self.folder.isRemoved { try self.reopen(&state) }
        }
        for segment in self.state.withLock({ $0.segments.filter(\.isSuspect) }) {
            let file = try segment.copy(in: self.folder)
            self.state.withLock { state in
                guard let index = state.segmentIndex(of: segment.header.number) else { return }
                // The name leads to the copy from here on, even if the folder's flush fails.
                state.segments[index].file = file
                state.segments[index].mapping = nil
            }
            try self.folder.sync()
            self.state.withLock { state in
                guard let index = state.segmentIndex(of: segment.header.number) else { return }
                state.segments[index].flushedEnd = segment.end
                state.segments[index].isNameFlushed = true
                state.segments[index].isSuspect = false
                state.syncCount += 1
                state.releaseHeld()
            }
        }
    }
}

/// The work of a flush, planned under the journal's lock and performed outside it.
struct SyncPlan: Sendable {
    /// The position that a successful flush covers.
    let current: Journal.State.Synced
    /// The files with unflushed bytes.
    let segments: [JournalSegment]
    /// The numbers of the files with unflushed names.
    let newNames: [UInt64]
    /// The plan for acknowledgements.
    let acknowledgements: FlushPlan

    init(_ state: borrowing Journal.State) {
        self.current = state.current
        self.segments = state.segments.filter { $0.isSuspect || $0.flushedEnd < $0.end }
        self.newNames = state.segments.filter { !$0.isNameFlushed }.map(\.header.number)
        self.acknowledgements = state.acknowledgements.flushPlan
    }
}

extension Journal.State {
    /// The position up to now, which a flush would cover.
    var current: Synced {
        Synced(sequence: self.lastSequence, acknowledgements: self.written)
    }

    /// Applies the result of a flush.
    mutating func finish(_ plan: SyncPlan, failed: [UInt64], areNamesFlushed: Bool) {
        for segment in plan.segments {
            guard let index = self.segmentIndex(of: segment.header.number) else { continue }
            if failed.contains(segment.header.number) {
                // No more frames go to a file that will be replaced.
                if index == self.segments.count - 1 { self.seal() }
                self.segments[index].isSuspect = true
            } else {
                self.segments[index].flushedEnd = max(self.segments[index].flushedEnd, segment.end)
            }
        }
        for number in plan.newNames {
            guard let index = self.segmentIndex(of: number) else { continue }
            if areNamesFlushed {
                self.segments[index].isNameFlushed = true
            } else {
                // Only making the names again lets a flush of the folder prove anything.
                if index == self.segments.count - 1 { self.seal() }
                self.segments[index].isSuspect = true
            }
        }
    }
}

extension JournalSegment {
    /// Writes all bytes to a new file, flushes it, and gives it the name of this one.
    ///
    /// After a failed flush the bytes are still in memory, but the kernel may count them as written. Only a flush of
    /// bytes written again to a new file proves anything. The offsets in the copy are the same.
    ///
    /// - Throws: An error when a write or flush of the copy fails, or when the old file no longer gives all its live
    ///   frames.
    func copy(in folder: Folder) throws(StorageError) -> OpenFile {
        let source = try self.open(in: folder)
        let unfinished = "\(self.name).\(FileName.unfinished)"
        try folder.remove(unfinished)
        let copy = try folder.createFile(unfinished)
        do throws(StorageError) {
            var offset: UInt64 = 0
            while offset < self.end {
                let count = Int(clamping: min(UInt64(FileWindow.pieceSize), self.end - offset))
                let bytes = try source.bytes(at: offset, count: count)
                guard bytes.count == count else { throw StorageError.damaged(source.path, at: offset) }
                try copy.write(bytes, at: offset)
                offset += UInt64(count)
            }
            try copy.sync()
            try self.checkFrames(of: copy, in: folder)
            try folder.rename(unfinished, to: self.name)
        } catch {
            folder.discard(unfinished)
            throw error
        }
        return copy.renamed(self.name, path: folder.path(of: self.name))
    }

    private func checkFrames(of copy: OpenFile, in folder: Folder) throws(StorageError) {
        var other = self
        other.file = copy
        other.mapping = nil
        var reader = try SegmentReader(other, in: folder)
        var sound = 0
        _ = try reader.visit(0..<self.index.count, limit: .max) { frame, start, _ in
            if frame.isSound(start, seed: other.seed) { sound += 1 }
        }
        guard sound == self.live else {
            throw StorageError(
                code: .diskFailed,
                path: copy.path,
                message: """
                    A flush of \(self.name) failed, and not all of its frames can be read again. Frames since the \
                    previous flush may not survive a loss of power. Check the disk.
                    """
            )
        }
    }
}
