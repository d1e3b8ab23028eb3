// SPDX-License-Identifier: Apache-2.0

#if Tool
import SignetEmulator

/// The records that a history can delete once their events are forgotten.
///
/// These are requests to the events interface for users who existed and were named by MPID: a checkpoint holds their
/// remaining effects.
struct CompactionIndex: Sendable {
    private struct Entry: Sendable {
        let sequence: UInt64
        let bytes: Int
        /// The number of forgotten batches from which the record is dead.
        let batches: Int
    }

    /// The records of the current checkpoint.
    private(set) var checkpoint: [UInt64] = []
    private var entries: [Entry] = []
    private var deadBytes = 0
    private var postponedBytes = 0
    // The number of entries counted as dead.
    private var dead = 0

    /// Records a request with the platform's counters before and after it.
    mutating func note(_ sequence: UInt64, bytes: Int, from before: ProgressCounters, to after: ProgressCounters) {
        guard before.eventRequests != after.eventRequests, before.users == after.users,
            before.resolvedBatches == after.resolvedBatches
        else { return }
        // A request without a new batch, such as a refused one, is deleted with the next batch.
        let batches = before.storedBatches == after.storedBatches ? after.storedBatches + 1 : after.storedBatches
        self.entries.append(Entry(sequence: sequence, bytes: bytes, batches: batches))
    }

    /// Records a checkpoint record that was read.
    mutating func note(checkpoint sequence: UInt64) {
        self.checkpoint.append(sequence)
    }

    /// Returns true when the needless records exceed a number of bytes, given the number of forgotten batches.
    mutating func hasNeedless(beyond bytes: UInt64, after forgotten: Int) -> Bool {
        while self.dead < self.entries.count, self.entries[self.dead].batches <= forgotten {
            self.deadBytes += self.entries[self.dead].bytes
            self.dead += 1
        }
        return UInt64(self.deadBytes - self.postponedBytes) > bytes
    }

    /// The records to delete after a new checkpoint is written, including those of the previous checkpoint.
    var needless: [UInt64] {
        self.entries[..<self.dead].map(\.sequence) + self.checkpoint
    }

    /// Postpones the deletion after a disk error until the same amount is needless again.
    ///
    /// - Parameter checkpoint: The checkpoint records that were written nevertheless.
    mutating func postpone(_ checkpoint: [UInt64]) {
        self.checkpoint += checkpoint
        self.postponedBytes = self.deadBytes
    }

    /// Removes the deleted records and sets the new checkpoint.
    mutating func replace(by checkpoint: [UInt64]) {
        self.entries.removeFirst(self.dead)
        self.dead = 0
        self.deadBytes = 0
        self.postponedBytes = 0
        self.checkpoint = checkpoint
    }
}
#endif
