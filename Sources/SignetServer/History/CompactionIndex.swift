//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import SignetEmulator

/// Which records a history can do without once the events that they brought are forgotten.
///
/// These are requests to the events interface that told of users who were there already and were called by their numbers:
/// all that is left of them is in a checkpoint.
struct CompactionIndex: Sendable {
    private struct Entry: Sendable {
        let sequence: UInt64
        let bytes: Int
        /// Goes when so many batches are forgotten.
        let batches: Int
    }

    /// The records of the checkpoint that holds.
    private(set) var checkpoint: [UInt64] = []
    private var entries: [Entry] = []
    private var deadBytes = 0
    private var postponedBytes = 0
    // How many of the entries have been counted as dead.
    private var dead = 0

    /// Notes a request: how far the platform was before it and is after it.
    mutating func note(_ sequence: UInt64, bytes: Int, from before: ProgressCounters, to after: ProgressCounters) {
        guard before.eventRequests != after.eventRequests, before.users == after.users,
            before.resolvedBatches == after.resolvedBatches
        else { return }
        // One that brought nothing new, such as a refused one, goes with what came next.
        let batches = before.storedBatches == after.storedBatches ? after.storedBatches + 1 : after.storedBatches
        self.entries.append(Entry(sequence: sequence, bytes: bytes, batches: batches))
    }

    /// Notes a record of a checkpoint that was found.
    mutating func note(checkpoint sequence: UInt64) {
        self.checkpoint.append(sequence)
    }

    /// Whether records of more than so many bytes are needless, when so many batches are forgotten.
    mutating func hasNeedless(beyond bytes: UInt64, after forgotten: Int) -> Bool {
        while self.dead < self.entries.count, self.entries[self.dead].batches <= forgotten {
            self.deadBytes += self.entries[self.dead].bytes
            self.dead += 1
        }
        return UInt64(self.deadBytes - self.postponedBytes) > bytes
    }

    /// The records that nobody needs once a checkpoint is written, those of the checkpoint before among them.
    var needless: [UInt64] {
        self.entries[..<self.dead].map(\.sequence) + self.checkpoint
    }

    /// The disk did not do it: it is tried again when there is as much more.
    ///
    /// - Parameter checkpoint: The records of a checkpoint that are there all the same.
    mutating func postpone(_ checkpoint: [UInt64]) {
        self.checkpoint += checkpoint
        self.postponedBytes = self.deadBytes
    }

    /// They are gone, and a new checkpoint holds.
    mutating func replace(by checkpoint: [UInt64]) {
        self.entries.removeFirst(self.dead)
        self.dead = 0
        self.deadBytes = 0
        self.postponedBytes = 0
        self.checkpoint = checkpoint
    }
}
#endif
