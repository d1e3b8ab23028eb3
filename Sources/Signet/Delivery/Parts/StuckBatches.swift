// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

/// The batches that have failed alone, and wait for their next tries: at most one is on the wire.
struct StuckBatches: Sendable {
    private var ids: Set<UUID> = []
    /// Those whose rest is over.
    private var due: ReadyBatches
    private var resting = DeadlineQueue<UUID>()

    init(_ limits: UploadLimits) {
        self.due = ReadyBatches(limits)
    }

    /// The number of batches.
    var count: Int { self.ids.count }

    /// True if the rest of a batch is over.
    var hasDue: Bool { !self.due.isEmpty }

    /// The end of the first rest; nil if none rests.
    var first: Duration? { self.resting.first }

    /// True if a batch waits here.
    func contains(_ id: UUID) -> Bool {
        self.ids.contains(id)
    }

    /// True if a batch waits here, and its rest is over.
    func isDue(_ id: UUID) -> Bool {
        self.due.contains(id)
    }

    /// Adds a batch that rests until a time.
    mutating func insert(_ id: UUID, until: Duration) {
        if self.ids.insert(id).inserted { self.resting.insert(id, at: until) }
    }

    /// Adds a batch that does not rest.
    mutating func insert(_ id: UUID, _ batch: QueuedBatch) {
        if self.ids.insert(id).inserted { self.due.insert(id, batch) }
    }

    /// Removes a batch that is not to be sent.
    mutating func remove(_ id: UUID) {
        guard self.ids.remove(id) != nil else { return }
        self.due.remove(id)
    }

    /// Ends the rests whose time has come.
    mutating func collectDue(at now: Duration, _ batches: [UUID: QueuedBatch]) {
        while let id = self.resting.popDue(at: now) { self.endRest(id, batches) }
    }

    /// Ends all rests.
    mutating func endRests(_ batches: [UUID: QueuedBatch]) {
        while let id = self.resting.popFirst() { self.endRest(id, batches) }
    }

    private mutating func endRest(_ id: UUID, _ batches: [UUID: QueuedBatch]) {
        // Removed while it rested.
        guard self.ids.contains(id) else { return }
        if let batch = batches[id] { self.due.insert(id, batch) } else { self.ids.remove(id) }
    }

    /// Takes the next batch whose rest is over.
    mutating func takeDue() -> UUID? {
        guard let id = self.due.takeFirst(1).first else { return nil }
        self.ids.remove(id)
        return id
    }

    /// Takes the batch that rests the shortest, before its time; one that would say nothing of the way rests on.
    mutating func takeResting(_ batches: [UUID: QueuedBatch]) -> UUID? {
        var others: [(id: UUID, deadline: Duration)] = []
        defer { for (id, deadline) in others { self.resting.insert(id, at: deadline) } }
        while let deadline = self.resting.first, let id = self.resting.popFirst() {
            guard self.ids.contains(id) else { continue }
            guard let batch = batches[id] else {
                self.ids.remove(id)
                continue
            }
            guard batch.isUnexplained else {
                self.ids.remove(id)
                return id
            }
            others.append((id, deadline))
        }
        return nil
    }
}
