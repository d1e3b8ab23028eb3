// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Consecutive events of one installation that may share batches.
struct BatchRun: Sendable {
    /// The properties that all events of a batch share, besides the installation (Events API v2, batching).
    struct Key: Sendable, Hashable {
        /// The user; nil for events that wait for the first user.
        var mpid: MPID?
        /// The ordinal of the session among those in the queue; zero outside of one.
        var session: UInt8 = 0
        /// The number of the configuration's context.
        var context: UInt16 = 0
        /// The number of the installation's context.
        var own: UInt32 = 0
    }

    /// The properties that the events share.
    var key: Key
    /// The numbers of the events.
    private(set) var events = SequenceList()
    /// The bytes of the events, with one comma each.
    private(set) var bytes = 0
    /// The time of the first event, or of an event before it, in seconds since 1970: no event is older.
    var seconds: UInt32
    /// The number of events since the last full batch.
    private(set) var openCount: Int32 = 0
    /// The bytes of the events since the last full batch.
    private(set) var openBytes: Int32 = 0

    /// Makes a run without events.
    init(_ key: Key, seconds: UInt32) {
        self.key = key
        self.seconds = seconds
    }

    /// Appends the newest event.
    ///
    /// - Returns: True if it makes a batch full.
    mutating func append(_ sequence: UInt64, bytes: Int, _ limits: UploadLimits) -> Bool {
        self.events.append(sequence)
        self.bytes += bytes
        self.openCount += 1
        self.openBytes += Int32(clamping: bytes)
        guard self.openCount >= limits.events || self.openBytes >= limits.bytes else { return false }
        (self.openCount, self.openBytes) = (0, 0)
        return true
    }

    /// Appends all events of the run that follows.
    mutating func append(_ other: BatchRun) {
        self.events.append(other.events)
        self.bytes += other.bytes
        self.openCount += other.openCount
        self.openBytes += other.openBytes
    }

    /// Removes the events up to a number.
    ///
    /// - Returns: A run of the removed events, with their share of the bytes.
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

    /// Removes some events, with their share of the bytes.
    ///
    /// - Returns: The number of removed events.
    mutating func remove(_ sequences: Set<UInt64>) -> Int {
        let before = self.events.count
        let left = self.events.prefix(before).filter { !sequences.contains($0) }
        guard left.count < before else { return 0 }
        self.bytes = Int(Double(self.bytes) * Double(left.count) / Double(before))
        self.events = SequenceList(Array(left))
        self.openCount = min(self.openCount, Int32(clamping: left.count))
        self.openBytes = min(self.openBytes, Int32(clamping: self.bytes))
        return before - left.count
    }

    /// Returns true if the run has enough events or bytes for a batch.
    func isFull(_ limits: UploadLimits) -> Bool {
        self.events.count >= limits.events || self.bytes >= limits.bytes
    }

    /// Removes the oldest events.
    ///
    /// - Parameters:
    ///   - count: The number of events to remove.
    ///   - bytes: Their bytes; nil if not measured, then their share of all bytes is used.
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
