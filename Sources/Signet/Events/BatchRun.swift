//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// Events of one installation that follow one another and may share batches.
struct BatchRun: Sendable {
    /// What events of one batch have in common beside the installation (Events API v2, batching).
    struct Key: Sendable, Hashable {
        /// Whose; nil while nobody is known: such events wait for the first user.
        var mpid: MPID?
        /// Which session of those in the line, in their order; zero outside of one.
        var session: UInt8 = 0
        /// The number of what the configuration said of them.
        var context: UInt16 = 0
        /// The number of what was said of their installation.
        var own: UInt32 = 0
    }

    /// What they have in common.
    var key: Key
    /// Which they are.
    private(set) var events = SequenceList()
    /// Their bytes, with a comma each.
    private(set) var bytes = 0
    /// When the first of them was logged, or an event before it: none is older.
    var seconds: UInt32
    /// Those since the last full batch.
    private(set) var openCount: Int32 = 0
    /// Their bytes.
    private(set) var openBytes: Int32 = 0

    /// Makes a run without events.
    init(_ key: Key, seconds: UInt32) {
        self.key = key
        self.seconds = seconds
    }

    /// Adds the newest event.
    ///
    /// - Returns: Whether it makes a batch full.
    mutating func append(_ sequence: UInt64, bytes: Int, _ limits: UploadLimits) -> Bool {
        self.events.append(sequence)
        self.bytes += bytes
        self.openCount += 1
        self.openBytes += Int32(clamping: bytes)
        guard self.openCount >= limits.events || self.openBytes >= limits.bytes else { return false }
        (self.openCount, self.openBytes) = (0, 0)
        return true
    }

    /// Adds all events of a run that follows.
    mutating func append(_ other: BatchRun) {
        self.events.append(other.events)
        self.bytes += other.bytes
        self.openCount += other.openCount
        self.openBytes += other.openBytes
    }

    /// Takes off the events up to a number.
    ///
    /// - Returns: A run of those; their bytes are their share.
    mutating func removeEvents(upTo limit: UInt64, _ limits: UploadLimits) -> BatchRun {
        var first = BatchRun(self.key, seconds: self.seconds)
        let count = self.events.count(upTo: limit)
        guard count > 0 else { return first }
        guard count < self.events.count else {
            swap(&first, &self)
            return first
        }
        let bytes = self.bytes / self.events.count
        for sequence in self.events.prefix(count) { _ = first.append(sequence, bytes: bytes, limits) }
        self.removeFirst(count, bytes: bytes * count)
        return first
    }

    /// Whether there is enough for a batch.
    func isFull(_ limits: UploadLimits) -> Bool {
        self.events.count >= limits.events || self.bytes >= limits.bytes
    }

    /// Takes the oldest events off.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - bytes: Their bytes; nil when nobody has looked, then their share of all bytes.
    mutating func removeFirst(_ count: Int, bytes: Int? = nil) {
        guard count < self.events.count else {
            (self.events, self.bytes, self.openCount, self.openBytes) = (SequenceList(), 0, 0, 0)
            return
        }
        let share = Int(Double(self.bytes) * Double(count) / Double(self.events.count))
        self.events.removeFirst(count)
        self.bytes = max(0, self.bytes - (bytes ?? share))
        self.openCount = min(self.openCount, Int32(clamping: self.events.count))
        self.openBytes = min(self.openBytes, Int32(clamping: self.bytes))
    }
}
