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
    /// The number of its failures alone.
    var failures = 0
    /// True when it shares no request.
    var isAlone = false
    /// True when its last answer was a 400 or 413 that the platform has not given: it says little of the way.
    var isUnexplained = false

    /// True if the platform may have taken it, and has not said so; a process before this one may have sent it.
    var mayBeTaken = false

    /// True if it has failed alone: it may be what makes the platform fail.
    var hasFailed: Bool { self.failures > 0 }

    /// The time to its next try after a failure.
    ///
    /// It is less than an hour, so that each of the hours that count has a try: see ``UnexplainedRefusals``.
    ///
    /// - Parameter pause: The pause that the failure begins.
    /// - Returns: The time from the failure on.
    func rest(after pause: Duration) -> Duration {
        let steps = self.isUnexplained ? [300, 600, 1200, 2400] : [0, 60, 120, 240, 480, 960, 1920, 2400]
        let rest = Duration.seconds(steps[min(max(self.failures, 1), steps.count) - 1])
        return self.isUnexplained ? max(pause, rest) : pause + rest
    }
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

    /// Inserts a batch by its order, after those that have failed less often.
    mutating func insert(_ id: UUID, _ batch: QueuedBatch) {
        let place =
            self.entries.lastIndex { ($0.batch.failures, $0.batch.order) < (batch.failures, batch.order) }
            .map { $0 + 1 } ?? 0
        self.entries.insert(Entry(id: id, batch: batch), at: place)
    }

    func contains(_ id: UUID) -> Bool {
        self.entries.contains { $0.id == id }
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
