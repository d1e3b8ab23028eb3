//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

extension Journal {
    /// Acknowledgements are written anew when their files are bigger than this, in bytes.
    private static let acknowledgementBytes: UInt64 = 64 << 10

    /// Lets frames go: they are not shown again, after a restart neither.
    ///
    /// It works on a full disk too. Files whose frames are all acknowledged are removed, once no more frames go to them;
    /// what is acknowledged survives a loss of power before its file is removed.
    ///
    /// - Parameter sequences: In any order; those that are unknown or acknowledged already are passed over.
    /// - Throws: What the disk says. If nothing could be written, the frames are live as before; if only a file could not
    ///   be removed, they are acknowledged, and the next call removes it.
    package func acknowledge(_ sequences: [UInt64]) throws(StorageError) {
        let hasRemovable = try self.state.withLock { state throws(StorageError) in
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
            return state.hasRemovableFiles
        }
        if hasRemovable { try self.reclaim() }
    }

    /// Removes files that are no longer needed.
    func reclaim() throws(StorageError) {
        try self.upkeep.withLock { _ throws(StorageError) in
            try self.flushAcknowledgements()
            self.state.withLock { $0.releaseSegments() }
            try self.removeReleased()
            self.state.withLock { $0.holdSpare() }
            if self.state.withLock({ $0.acknowledgements.bytes }) > Self.acknowledgementBytes {
                try self.rewriteAcknowledgements()
            }
        }
    }

    private func flushAcknowledgements() throws(StorageError) {
        let plan = self.state.withLock { $0.acknowledgements.flushPlan }
        let outcome = plan.perform(self.folder)
        try self.state.withLock { state throws(StorageError) in
            try state.acknowledgements.finish(plan, outcome)
        }
    }

    /// Writes what is acknowledged to one new file, and removes the ones before; a crash between leaves both, which say
    /// the same.
    private func rewriteAcknowledgements() throws(StorageError) {
        let old = try self.state.withLock { state throws(StorageError) in
            let old = state.acknowledgements.used
            state.acknowledgements.seal()
            try state.appendAcknowledgements(state.acknowledged)
            return old
        }
        try self.flushAcknowledgements()
        self.state.withLock { state in
            for slot in old {
                if let name = state.acknowledgements.slots[slot]?.name { state.released.append(name) }
                state.acknowledgements.remove(slot)
            }
        }
        try self.removeReleased()
    }

    /// Removes names that nothing needs any more; those that cannot be removed are tried again next time.
    private func removeReleased() throws(StorageError) {
        let names = self.state.withLock { $0.released }
        guard !names.isEmpty else { return }
        for name in names {
            try self.folder.remove(name)
        }
        try self.folder.sync()
        self.state.withLock { $0.released.removeAll { names.contains($0) } }
    }
}
