// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// Removes answered batches with their events from disk, and counts them.
///
/// Those that the disk refuses to remove are tried again. Where another replica may have changed the facts of a batch, its record stays
/// until they were compared: a process that dies before leaves the record without events, and the next one compares.
struct AnsweredBatches: Sendable {
    private let context: RuntimeContext
    private let users: any EventUsers
    private let events: WaitingEvents
    /// Delivered batches without events whose facts are to be compared.
    private var uncompared: [BatchRecord] = []
    /// Answered batches whose events are still in the journal.
    private var unsettled: [[BatchOutcome]] = []
    /// Answered batches that are without events, and that the disk has not removed.
    private var unremoved: [UUID] = []
    /// The time of the next try to remove them.
    private var againAt: Duration = .zero

    init(_ context: RuntimeContext, _ users: any EventUsers, _ events: WaitingEvents) {
        self.context = context
        self.users = users
        self.events = events
    }

    /// The time of the next try; nil if nothing is left.
    var deadline: Duration? {
        self.unsettled.isEmpty && self.unremoved.isEmpty ? nil : self.againAt
    }

    /// Returns true if the events of such a batch are still in the journal.
    func contains(where isMeant: (BatchRecord) -> Bool) -> Bool {
        self.unsettled.joined().contains { isMeant($0.record) }
    }

    /// Removes the events first and the batches afterwards: after a kill between the two, a batch is found empty.
    ///
    /// Batches whose facts are to be compared stay; see ``takeUncompared()``.
    mutating func settle(_ outcomes: [BatchOutcome]) {
        let sequences = outcomes.flatMap { $0.record.sequences.prefix($0.record.sequences.count) }
        do throws(SignetError) {
            try self.events.acknowledge(sequences, of: outcomes.map(\.record.installation))
        } catch {
            // The error may come after the events had left the journal, while it freed their space.
            guard self.areGone(sequences) else {
                self.context.reportDamage("Answered events could not be removed from disk: \(error.message)")
                self.unsettled.append(outcomes)
                self.againAt = self.context.time.uptime + EventQueue.diskPause
                return
            }
            self.context.reportDamage("The space of delivered events could not be freed: \(error.message)")
        }
        for outcome in outcomes {
            self.count(outcome)
            if self.mustCompare(outcome) { self.keep(outcome.record) } else { self.remove([outcome.record.id]) }
        }
    }

    /// Removes batches from disk that have neither events nor facts to compare.
    mutating func remove(_ ids: [UUID]) {
        for id in ids {
            do throws(SignetError) {
                try self.context.store.remove(StateKey.batch(id))
            } catch {
                // If the process ends before, the next start finds it without events, and removes it.
                self.context.reportDamage("A delivered batch could not be removed from disk: \(error.message)")
                self.unremoved.append(id)
                self.againAt = self.context.time.uptime + EventQueue.diskPause
            }
        }
    }

    // MARK: - Facts

    /// Takes the batches whose facts are to be compared with those of now; they are removed with ``remove(_:)`` afterwards.
    mutating func takeUncompared() -> [BatchRecord] {
        defer { self.uncompared = [] }
        return self.uncompared
    }

    /// True if the platform has facts of the batch that another replica may have changed meanwhile, however young they are.
    private func mustCompare(_ outcome: BatchOutcome) -> Bool {
        guard self.users.readsRows, outcome.record.hash != nil, outcome.record.mpid != nil else { return false }
        switch outcome.kind {
        case .delivered, .settledBefore: return true
        case .deadLetters: return false
        }
    }

    private mutating func keep(_ record: BatchRecord) {
        self.uncompared.append(record)
        guard record.sequences.count == 0, record.content != .answered else { return }
        do throws(SignetError) {
            // It has no events whose absence says that it was answered.
            let answered = record.replacing(events: 0, size: 0, content: .answered)
            try self.context.store.put(answered.encoded(), for: StateKey.batch(record.id))
        } catch {
            // After a restart it is sent again, and compared then.
            self.context.reportDamage("A delivered batch could not be marked on disk: \(error.message)")
        }
    }

    private func areGone(_ sequences: [UInt64]) -> Bool {
        do throws(SignetError) {
            return try self.events.live(sequences).isEmpty
        } catch {
            // Not readable: they were not acknowledged, else the journal would not read them.
            return false
        }
    }

    /// Tries again what the disk refused.
    mutating func settleAgain() {
        let unremoved = self.unremoved
        self.unremoved = []
        self.remove(unremoved)
        guard !self.unsettled.isEmpty else { return }
        let unsettled = self.unsettled
        self.unsettled = []
        for outcomes in unsettled { self.settle(outcomes) }
        self.events.settled.signal()
    }

    /// Counts and reports the outcome of a batch.
    func count(_ outcome: BatchOutcome) {
        let events = outcome.events
        // The events of a former dead letter are not in the journal: they count as waiting until now.
        let resent = outcome.record.sequences.count == 0 ? outcome.record.events : 0
        self.context.statistics.record { counts in
            counts.eventsResending -= resent
            switch outcome.kind {
            case .delivered(let bytes):
                counts.eventsDelivered += events
                counts.batchesDelivered += 1
                counts.bytesDelivered += bytes
            case .deadLetters:
                counts.eventsDeadLettered += events
            case .settledBefore:
                break
            }
        }
        switch outcome.kind {
        case .delivered(let bytes): self.context.observer.batchDelivered(events: events, bytes: bytes)
        case .deadLetters(let error): self.context.observer.batchDeadLettered(events: events, error: error)
        case .settledBefore: break
        }
    }
}
