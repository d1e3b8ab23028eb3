//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

extension Journal {
    /// Acknowledgements are written anew when their files are bigger than this, in bytes, and than four times what they
    /// were after the last time.
    private static let acknowledgementBytes: UInt64 = 64 << 10

    /// Lets frames go: they are not shown again, after a restart neither.
    ///
    /// It works on a full disk too. Files whose frames are all acknowledged are removed, once no more frames go to them,
    /// and the live frames of files that have few are written together; what is acknowledged survives a loss of power
    /// before its file is removed.
    ///
    /// - Parameter sequences: In any order; those that are unknown or acknowledged already are passed over.
    /// - Throws: What the disk says. If nothing could be written, the frames are live as before; if only a file could not
    ///   be removed, they are acknowledged, and the next call removes it.
    package func acknowledge(_ sequences: [UInt64]) throws(StorageError) {
        let hasWork = try self.state.withLock { state throws(StorageError) in
            try state.checkOpen(self.folder)
            guard try state.acknowledge(sequences) > 0 else { return false }
            return state.hasRemovableFiles || state.needsCompaction(self.options.segmentBytes)
        }
        if hasWork { try self.reclaim() }
    }

    /// Removes files that are no longer needed, and makes one of several that hold little.
    func reclaim() throws(StorageError) {
        try self.upkeep.withLock { _ throws(StorageError) in
            if self.state.withLock({ $0.hasRemovableFiles }) {
                try self.flushAcknowledgements()
                self.state.withLock { $0.releaseSegments() }
                try self.removeReleased()
            }
            try self.compact()
            self.state.withLock { $0.holdSpare() }
            let (bytes, before) = self.state.withLock { ($0.acknowledgements.bytes, $0.acknowledgementBytes) }
            if bytes > max(Self.acknowledgementBytes, 4 * before) { try self.rewriteAcknowledgements() }
        }
    }

    /// Makes acknowledgements survive a loss of power.
    func flushAcknowledgements() throws(StorageError) {
        let plan = self.state.withLock { $0.acknowledgements.flushPlan }
        let outcome = plan.perform(self.folder)
        try self.state.withLock { state throws(StorageError) in
            state.syncCount += plan.files.count
            try state.acknowledgements.finish(plan, outcome)
        }
    }

    /// Writes what is acknowledged, of the frames that files still have, to one new file, and removes the ones before; a
    /// crash between leaves both, which agree.
    private func rewriteAcknowledgements() throws(StorageError) {
        let old = try self.state.withLock { state throws(StorageError) in
            let old = state.acknowledgements.used
            state.acknowledgements.seal()
            var ranges = SequenceRanges()
            for segment in state.segments { segment.addAcknowledged(to: &ranges) }
            try state.appendAcknowledgements(ranges)
            return old
        }
        try self.flushAcknowledgements()
        self.state.withLock { state in
            for slot in old {
                if let name = state.acknowledgements.slots[slot]?.name { state.released.append(name) }
                state.acknowledgements.remove(slot)
            }
            state.acknowledgementBytes = state.acknowledgements.bytes
        }
        try self.removeReleased()
    }

    /// Removes names that nothing needs any more; those that cannot be removed are tried again next time.
    func removeReleased() throws(StorageError) {
        let names = self.state.withLock { $0.released }
        guard !names.isEmpty else { return }
        for name in names {
            try self.folder.remove(name)
        }
        try self.folder.sync()
        self.state.withLock { $0.released.removeAll { names.contains($0) } }
    }
}

extension Journal.State {
    /// Whether there are files to remove: sealed ones without a live frame, and what is left of earlier removals.
    var hasRemovableFiles: Bool {
        !self.released.isEmpty || self.segments.contains { $0.live == 0 && $0.slot != self.files.active }
    }

    /// Lets sealed files without a live frame go.
    mutating func releaseSegments() {
        let active = self.files.active
        for segment in self.segments where segment.live == 0 && segment.slot != active {
            if let name = self.files.slots[segment.slot]?.name { self.released.append(name) }
            self.files.remove(segment.slot)
        }
        self.segments.removeAll { $0.live == 0 && $0.slot != active }
    }
}
