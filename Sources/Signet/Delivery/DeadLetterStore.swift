// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// Keeps the newest dead letters on disk: batches that are not sent again automatically.
///
/// The queue's actor writes and removes them, one at a time: short writes to the page cache, without a flush. All are read on the disk's
/// own thread, see ``EventQueue``. The actor reads them itself where others change in between, for the first batch that is set aside unsent,
/// and for a replica's numbers.
struct DeadLetterStore: Sendable {
    /// The most dead letters that are kept; at 128 KB each, not more than 128 MB.
    private static let limit = 1000

    private let context: RuntimeContext
    /// The dead letters, oldest first; nil until first needed.
    private var known: [(id: UUID, events: Int)]?
    /// Those added while an erasure reads them all; nil if none does.
    private var added: Set<UUID>?
    /// The number of changes, which make outdated what was read before.
    private(set) var changes = 0
    /// The numbers of their installations; nil until first needed.
    private var numbers: [UUID: UInt32]?

    init(_ context: RuntimeContext) {
        self.context = context
    }

    /// True if an addition reads no others.
    var isKnown: Bool { self.known != nil }

    /// Begins to note those that are added, for ``takeAdded()``.
    mutating func noteAdded() {
        self.added = []
    }

    /// Returns those that were added since ``noteAdded()``.
    mutating func takeAdded() -> Set<UUID> {
        defer { self.added = nil }
        return self.added ?? []
    }

    /// Takes over all dead letters on disk, oldest first, unless some have changed since they were read.
    mutating func learn(_ read: [(id: UUID, events: Int)], after changes: Int) {
        if self.changes == changes { self.known = read }
    }

    /// Writes a dead letter, and removes the oldest ones beyond the limit.
    mutating func add(
        _ record: BatchRecord,
        _ body: [UInt8],
        events: Int,
        _ error: SignetError
    ) throws(SignetError) {
        let platform = error.errors.first.map { " The platform reported \($0.code)." } ?? ""
        let letter = DeadLetterRecord(
            installation: record.installation,
            mpid: record.mpid,
            events: events,
            first: record.first,
            status: error.httpStatus,
            milliseconds: self.context.time.milliseconds,
            reason: error.message + platform,
            facts: record.facts,
            hash: record.hash,
            body: body
        )
        self.changes += 1
        var known: [(id: UUID, events: Int)]
        if let read = self.known { known = read } else { known = try self.records().map { ($0, $1.events) } }
        try self.context.store.put(letter.encoded(), for: StateKey.deadLetterBatch(record.id))
        self.added?.insert(record.id)
        known.removeAll { $0.id == record.id }
        known.append((record.id, events))
        self.numbers?[record.id] = record.installation
        while known.count > Self.limit, let oldest = known.first {
            try self.context.store.remove(StateKey.deadLetterBatch(oldest.id))
            known.removeFirst()
            self.numbers?[oldest.id] = nil
            self.context.statistics.record { $0.eventsDiscarded += oldest.events }
            self.context.observer.eventsDropped(oldest.events, cause: .limit)
        }
        self.known = known
    }

    /// Returns a dead letter; nil if none has that id.
    func find(_ id: UUID) throws(SignetError) -> DeadLetterRecord? {
        try self.context.store.value(for: StateKey.deadLetterBatch(id)).flatMap { DeadLetterRecord($0) }
    }

    /// Removes a dead letter.
    mutating func remove(_ id: UUID) throws(SignetError) {
        self.changes += 1
        try self.context.store.remove(StateKey.deadLetterBatch(id))
        self.known?.removeAll { $0.id == id }
        self.numbers?[id] = nil
    }

    /// The numbers of the installations that dead letters name.
    mutating func installations() throws(SignetError) -> Set<UInt32> {
        if let numbers { return Set(numbers.values) }
        var numbers: [UUID: UInt32] = [:]
        // One at a time: a thousand bodies are much memory.
        for key in try self.context.store.keys(withPrefix: StateKey.deadLetterBatches) {
            guard let id = UUID(bytes: key.dropFirst(StateKey.deadLetterBatches.count)) else { continue }
            do throws(SignetError) {
                numbers[id] = try self.find(id)?.installation
            } catch {
                // Damaged: it names none.
                guard error.isDamage else { throw error }
            }
        }
        self.numbers = numbers
        return Set(numbers.values)
    }

    /// Looks at the disk again, where an erasure or a reset may have removed some.
    mutating func forgetKnown() {
        self.changes += 1
        (self.known, self.numbers) = (nil, nil)
    }

    /// Returns all dead letters, oldest first.
    func records() throws(SignetError) -> [(id: UUID, record: DeadLetterRecord)] {
        try self.context.store.values(withPrefix: StateKey.deadLetterBatches) {
            self.context.reportDamage($0.message)
        }
        .compactMap { key, value in
            guard let id = UUID(bytes: key.dropFirst(StateKey.deadLetterBatches.count)),
                let record = DeadLetterRecord(value)
            else { return nil }
            return (id, record)
        }
        .sorted { ($0.record.milliseconds, $0.id.uuidString) < ($1.record.milliseconds, $1.id.uuidString) }
    }
}
