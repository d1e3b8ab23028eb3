// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// Knows the batches without an answer, those of them that are on the wire, and the erasures that wait for their answers.
struct HeldBatches: Sendable {
    private var batches: [UUID: InFlightBatch] = [:]
    /// Batches that were sent and have no answer yet.
    private(set) var onWire: Set<UUID> = []
    /// Erasures that wait until no batch of their user is on the wire.
    private var waiters: [(mpid: MPID, promise: Promise<Void>)] = []

    subscript(_ id: UUID) -> InFlightBatch? {
        get { self.batches[id] }
        set { self.batches[id] = newValue }
    }

    /// The batches without an answer.
    var ids: Dictionary<UUID, InFlightBatch>.Keys { self.batches.keys }

    /// The oldest event of all batches; nil if none has events in the journal.
    var firstEvent: UInt64? {
        self.batches.values.lazy.compactMap { $0.record.sequences.prefix(1).first }.min()
    }

    /// Adds a batch.
    mutating func hold(_ batch: InFlightBatch) {
        self.batches[batch.record.id] = batch
    }

    /// Records that a batch was written down.
    mutating func written(_ id: UUID) {
        self.batches[id]?.written()
    }

    /// Takes the body of a batch for a try; nil if the body must be read.
    mutating func takeBody(of id: UUID) -> (bytes: [UInt8], events: Int)? {
        self.batches[id]?.takeBody()
    }

    /// Removes a batch, and returns its record.
    mutating func remove(_ id: UUID) -> BatchRecord? {
        self.batches.removeValue(forKey: id)?.record
    }

    /// Replaces the record of a batch whose bytes stay the same.
    mutating func replace(_ record: BatchRecord) {
        self.batches[record.id] = self.batches[record.id]?.replacing(record)
    }

    /// Records that batches go out.
    mutating func sent(_ ids: [UUID]) {
        self.onWire.formUnion(ids)
    }

    /// Records that batches have an answer.
    mutating func answered(_ ids: [UUID]) {
        self.onWire.subtract(ids)
        for id in ids { self.batches[id]?.sent() }
    }

    /// Records that an installation has opted out since its batches were made.
    mutating func outdate(_ installation: UInt32) {
        for (id, batch) in self.batches where batch.record.installation == installation { self.batches[id]?.outdate() }
    }

    // MARK: - Erasures

    /// Removes an erased user from the others' batches; all bodies are read again when they are sent.
    mutating func erase(_ erasure: inout some BatchErasure) {
        for (id, batch) in self.batches {
            self.batches[id] = batch.replacing(erasure.erased(batch.record) ?? batch.record)
        }
    }

    /// Returns the events of a user's batches.
    func sequences(of mpid: MPID) -> Set<UInt64> {
        self.batches.values.lazy.map(\.record).filter { $0.mpid == mpid }
            .reduce(into: []) { $0.formUnion($1.sequences.prefix($1.sequences.count)) }
    }

    /// Returns the batches of a user that are on the wire.
    func onWire(of mpid: MPID) -> Set<UUID> {
        self.onWire.filter { self.batches[$0]?.record.mpid == mpid }
    }

    /// Returns a promise that resolves when no batch of a user is on the wire; nil if none is.
    mutating func answers(of mpid: MPID) -> Promise<Void>? {
        guard !self.onWire(of: mpid).isEmpty else { return nil }
        let promise = Promise<Void>()
        self.waiters.append((mpid, promise))
        return promise
    }

    /// Forgets the erasures of a user that wait.
    mutating func stopWaiting(for mpid: MPID) {
        self.waiters.removeAll { $0.mpid == mpid }
    }

    /// Notifies the erasures whose answers have all come.
    mutating func resumeWaiters() {
        guard !self.waiters.isEmpty else { return }
        let done = self.waiters.filter { self.onWire(of: $0.mpid).isEmpty }
        self.waiters.removeAll { waiter in done.contains { $0.promise === waiter.promise } }
        for waiter in done { waiter.promise.resolve(()) }
    }
}
