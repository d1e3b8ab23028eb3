// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

extension EventQueue {
    /// The most dead letters that are kept; at 128 KB each, not more than 128 MB.
    private static let limit = 1000

    /// Writes a dead letter: a batch that is not sent again automatically.
    func deadLetter(_ record: BatchRecord, _ body: [UInt8], _ events: Int, _ error: SignetError) throws(SignetError) {
        let platform = error.errors.first.map { " The platform reported \($0.code)." } ?? ""
        let aside = DeadLetterRecord(
            installation: record.installation,
            mpid: record.mpid,
            events: events,
            status: error.httpStatus,
            milliseconds: self.services.time.milliseconds,
            reason: error.message + platform,
            body: body
        )
        var deadLettered = try self.knownDeadLetters()
        try self.services.store.put(aside.encoded(), for: StateKey.deadLetterBatch(record.id))
        deadLettered.removeAll { $0.id == record.id }
        deadLettered.append((record.id, events))
        while deadLettered.count > Self.limit, let oldest = deadLettered.first {
            try self.services.store.remove(StateKey.deadLetterBatch(oldest.id))
            deadLettered.removeFirst()
            self.services.statistics.record { $0.eventsDiscarded += oldest.events }
            self.services.observer.eventsDropped(oldest.events, cause: .limit)
        }
        self.deadLettered = deadLettered
    }

    /// Returns all dead letters, oldest first.
    func deadLetterBatches() throws(SignetError) -> [DeadLetterBatches.Batch] {
        try self.deadLetterRecords().map { id, record in
            // The name is for people: the dead letter is returned without it too.
            var installation: InstallationID?
            do throws(SignetError) {
                installation = try self.services.name(of: record.installation)
            } catch {
                self.services.reportDamage("The name of an installation cannot be read: \(error.message)")
            }
            return DeadLetterBatches.Batch(id, record, installation: installation)
        }
    }

    /// Returns the bytes of a dead letter; nil if none has that id.
    func deadLetterBody(of id: UUID) throws(SignetError) -> [UInt8]? {
        try self.deadLetterRecord(id)?.body
    }

    /// Sends a dead letter again with the same id and the same bytes.
    ///
    /// - Returns: True if there was one.
    func resend(_ id: UUID) throws(SignetError) -> Bool {
        // In-flight batches are read first: one of this id may be among them.
        guard self.takeIn() || self.isRestored else { return false }
        guard let aside = try self.deadLetterRecord(id), self.held[id] == nil else { return false }
        // Its user is being erased, and the dead letter with them.
        guard !self.machine.isForgotten(aside.mpid, 0) else { return false }
        let record = BatchRecord(
            id: id,
            installation: aside.installation,
            mpid: aside.mpid,
            sequences: SequenceList(),
            events: aside.events,
            size: aside.body.count,
            content: .whole(aside.body)
        )
        // In this order: after a kill between the two it may be sent again and become a dead letter again, but is never
        // lost.
        try self.services.store.put(record.encoded(), for: StateKey.batch(id))
        self.hold(InFlightBatch(record: record, isRepeated: true))
        self.services.statistics.record {
            $0.eventsResent += aside.events
            $0.eventsResending += aside.events
        }
        self.services.ingress.wakeup.signal()
        self.deadLettered?.removeAll { $0.id == id }
        try self.services.store.remove(StateKey.deadLetterBatch(id))
        return true
    }

    /// Removes a dead letter.
    ///
    /// - Returns: True if there was one.
    func discard(_ id: UUID) throws(SignetError) -> Bool {
        guard let aside = try self.deadLetterRecord(id) else { return false }
        try self.services.store.remove(StateKey.deadLetterBatch(id))
        self.deadLettered?.removeAll { $0.id == id }
        self.services.statistics.record { $0.eventsDiscarded += aside.events }
        return true
    }

    // MARK: - Private

    private func knownDeadLetters() throws(SignetError) -> [(id: UUID, events: Int)] {
        if let deadLettered = self.deadLettered { return deadLettered }
        return try self.deadLetterRecords().map { ($0, $1.events) }
    }

    private func deadLetterRecord(_ id: UUID) throws(SignetError) -> DeadLetterRecord? {
        try self.services.store.value(for: StateKey.deadLetterBatch(id)).flatMap { DeadLetterRecord($0) }
    }

    private func deadLetterRecords() throws(SignetError) -> [(id: UUID, record: DeadLetterRecord)] {
        try self.services.store.values(withPrefix: StateKey.deadLetterBatches) {
            self.services.reportDamage($0.message)
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
