// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

import struct FoundationEssentials.UUID

/// Undoes batches without an answer: their events wait again, and what is still to be sent goes in batches of new ids.
///
/// An id stands for the same bytes for ever, so the rest of a batch gets another one. Its events keep theirs, by which the platform
/// recognises those that an earlier try has brought.
struct BatchUndoing: Sendable {
    private let context: RuntimeContext

    init(_ context: RuntimeContext) {
        self.context = context
    }

    /// Puts the events of a batch back, before all others of their installation.
    ///
    /// The record goes first: after a kill in between the events are in no batch, and judged before they are cut.
    ///
    /// - Throws: The error of the disk; then the batch is as before.
    func undo(
        _ id: UUID,
        in machine: inout UploadStateMachine,
        _ held: inout HeldBatches
    ) throws(SignetError) {
        guard let batch = held[id] else { return }
        let record = batch.record
        var events = PutBackEvents(installation: record.installation, mpid: record.mpid)
        do throws(StorageError) {
            try self.context.journal.read(record.sequences.prefix(record.sequences.count)) { sequence, stamp, payload in
                events.append(sequence, EventMetadata(stamp), bytes: payload.count + 1)
            }
        } catch {
            throw SignetError(error)
        }
        if batch.cut == nil { try self.context.store.remove(StateKey.batch(id)) }
        held[id] = nil
        machine.undo(id, events)
    }

    /// Removes a batch whose events are not in the journal: a former dead letter, or facts alone.
    ///
    /// - Throws: The error of the disk; then the batch is as before.
    func drop(
        _ id: UUID,
        _ cause: DropCause,
        from machine: inout UploadStateMachine,
        _ held: inout HeldBatches
    ) throws(SignetError) {
        guard let record = held[id]?.record else { return }
        try self.context.store.remove(StateKey.batch(id))
        held[id] = nil
        machine.drop(id)
        guard record.events > 0 else { return }
        self.context.statistics.record { $0.eventsResending -= record.events }
        self.context.dropped(record.events, cause)
    }
}

/// The events of a batch that is undone, with what they share.
struct PutBackEvents: Sendable, Hashable {
    let installation: UInt32
    private(set) var mpid: MPID?
    private(set) var sequences: [UInt64] = []
    /// The bytes of the events, with a comma each.
    private(set) var bytes = 0
    /// The metadata of the oldest event; nil if no event is left.
    private(set) var first: EventMetadata?

    init(installation: UInt32, mpid: MPID?) {
        (self.installation, self.mpid) = (installation, mpid)
    }

    /// Adds the next event; one without metadata stays in the journal unsent, as at a start.
    mutating func append(_ sequence: UInt64, _ metadata: EventMetadata?, bytes: Int) {
        guard let metadata else { return }
        if self.first == nil { self.first = metadata }
        self.mpid = self.mpid ?? metadata.mpid
        self.sequences.append(sequence)
        self.bytes += bytes
    }

    /// Makes a plan of these events.
    ///
    /// - Parameter session: The ordinal of their session in the queue, if they are in one.
    /// - Returns: The plan; nil if there are no events.
    func plan(session: UInt8) -> UploadStateMachine.BatchPlan? {
        guard let first, let mpid else { return nil }
        return UploadStateMachine.BatchPlan(
            installation: self.installation,
            mpid: mpid,
            session: first.place == .outside ? 0 : session,
            context: first.context,
            own: first.own,
            seconds: UInt32(clamping: first.seconds),
            sequences: self.sequences
        )
    }
}

extension BatchRecord {
    /// True if the batch has no events, only the facts of its user.
    var isOfFactsAlone: Bool { self.events == 0 && self.sequences.count == 0 }

    /// True if it was a dead letter: its events are in its bytes alone.
    var isFormerDeadLetter: Bool { self.events > 0 && self.sequences.count == 0 }
}
