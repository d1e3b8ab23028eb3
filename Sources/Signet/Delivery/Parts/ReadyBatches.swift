// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// A batch in the queue: it waits, is ready, or is on the wire.
struct QueuedBatch: Sendable {
    let installation: UInt32
    let mpid: MPID?
    /// Its oldest event; 0 for a former dead letter.
    let first: UInt64
    let events: Int
    /// The bytes of its body.
    let bytes: Int
    /// The ordinal of the batch: batches keep the order in which they came.
    let order: Int
    /// The number of its failures alone, as far as they are significant.
    var failures = 0
    /// True when the batch alone makes the platform fail repeatedly: it waits by itself, so that others are tried.
    var isStuck: Bool { self.failures > 1 }
    /// The extra wait after the pause, unless there is nothing else to try.
    var rest: Duration { min(.seconds(60) * (self.failures - 1), .seconds(300)) }
    /// True when it shares no request.
    var isAlone = false
    /// True when something in between has found it too large.
    var isTooLarge = false
}

/// The batches to send, in their order, one per installation; and how many of them share a request.
struct ReadyBatches: Sendable {
    private struct Entry: Sendable {
        let id: UUID
        /// The batch as it was when it became ready.
        let batch: QueuedBatch
    }

    private let batchesPerRequest: Int
    private let maximumBytes: Int
    private var entries: [Entry] = []

    init(_ limits: UploadLimits) {
        self.batchesPerRequest = limits.batchesPerRequest
        self.maximumBytes = limits.maximumRequestBytes
    }

    var isEmpty: Bool {
        self.entries.isEmpty
    }

    var count: Int {
        self.entries.count
    }

    /// Inserts a batch by its order.
    mutating func insert(_ id: UUID, _ batch: QueuedBatch) {
        let place = self.entries.lastIndex { $0.batch.order < batch.order }.map { $0 + 1 } ?? 0
        self.entries.insert(Entry(id: id, batch: batch), at: place)
    }

    /// Removes a batch that is not to be sent.
    mutating func remove(_ id: UUID) {
        self.entries.removeAll { $0.id == id }
    }

    /// Returns true if another batch is to be cut before the next request, because several share one.
    ///
    /// - Parameter allowed: The number of batches that the next request may have.
    /// - Returns: True if it is to be cut.
    func wantsMore(_ allowed: Int) -> Bool {
        guard self.count < max(1, allowed) else { return false }
        guard let first = self.entries.first else { return true }
        guard self.batchesPerRequest > 1, !first.batch.isAlone else { return false }
        return self.fitting(allowed) == self.count
    }

    /// Takes the first batches, which share the next request.
    ///
    /// - Parameter allowed: The number of batches that it may have.
    /// - Returns: Their ids, oldest first.
    mutating func takeFirst(_ allowed: Int) -> [UUID] {
        let count = self.fitting(allowed)
        defer { self.entries.removeFirst(count) }
        return self.entries.prefix(count).map(\.id)
    }

    /// Returns the number of the first batches that share the next request.
    private func fitting(_ allowed: Int) -> Int {
        guard let first = self.entries.first else { return 0 }
        guard !first.batch.isAlone else { return 1 }
        // Brackets around, a comma between.
        var bytes = 1
        var count = 0
        for entry in self.entries.prefix(allowed) {
            guard !entry.batch.isAlone else { break }
            bytes += entry.batch.bytes + 1
            guard bytes <= self.maximumBytes || count == 0 else { break }
            count += 1
        }
        return count
    }
}
