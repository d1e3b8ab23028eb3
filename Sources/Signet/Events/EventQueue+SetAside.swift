//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

extension EventQueue {
    /// How many batches are kept aside; at 128 KB each, not more than 128 MB.
    private static let limit = 1000

    /// Writes a batch down that will not be sent by itself any more.
    func putAside(_ record: BatchRecord, _ body: [UInt8], _ events: Int, _ error: SignetError) throws(SignetError) {
        let platform = error.errors.first.map { " The platform said: \($0.code)." } ?? ""
        let aside = SetAsideRecord(
            installation: record.installation,
            mpid: record.mpid,
            events: events,
            status: error.httpStatus,
            milliseconds: self.services.time.milliseconds,
            reason: error.message + platform,
            body: body
        )
        var asides = try self.knownAsides()
        try self.services.store.put(aside.encoded(), for: StateKey.refusedBatch(record.id))
        asides.removeAll { $0.id == record.id }
        asides.append((record.id, events))
        while asides.count > Self.limit, let oldest = asides.first {
            try self.services.store.remove(StateKey.refusedBatch(oldest.id))
            asides.removeFirst()
            self.services.statistics.record { $0.eventsDiscarded += oldest.events }
            self.services.observer.eventsDropped(oldest.events, cause: .limit)
        }
        self.asides = asides
    }

    /// All batches that are set aside, oldest first.
    func setAsideBatches() throws(SignetError) -> [SetAsideBatch] {
        try self.setAsideRecords().map { id, record in
            // The name is for people: without it the batch is there all the same.
            var installation: InstallationID?
            do throws(SignetError) {
                installation = try self.services.name(of: record.installation)
            } catch {
                self.services.reportDamage("The name of an installation cannot be read: \(error.message)")
            }
            return SetAsideBatch(id, record, installation: installation)
        }
    }

    /// The bytes of a batch that is set aside; nil when there is none of that id.
    func setAsideBody(of id: UUID) throws(SignetError) -> [UInt8]? {
        try self.setAsideRecord(id)?.body
    }

    /// Sends a batch again that was set aside: same id, same bytes.
    ///
    /// - Returns: Whether there was one.
    func resend(_ id: UUID) throws(SignetError) -> Bool {
        // Batches on their way are read first: one of this id may be among them.
        guard self.takeIn() || self.isRestored else { return false }
        guard let aside = try self.setAsideRecord(id), self.held[id] == nil else { return false }
        // Its user is being erased, and it is about to go.
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
        // In this order: killed between the two, it is sent again and set aside again, or not, but never lost.
        try self.services.store.put(record.encoded(), for: StateKey.batch(id))
        self.hold(HeldBatch(record: record, isRepeated: true))
        self.services.statistics.record {
            $0.eventsResent += aside.events
            $0.eventsResending += aside.events
        }
        self.services.intake.wakeup.signal()
        self.asides?.removeAll { $0.id == id }
        try self.services.store.remove(StateKey.refusedBatch(id))
        return true
    }

    /// Removes a batch that was set aside.
    ///
    /// - Returns: Whether there was one.
    func discard(_ id: UUID) throws(SignetError) -> Bool {
        guard let aside = try self.setAsideRecord(id) else { return false }
        try self.services.store.remove(StateKey.refusedBatch(id))
        self.asides?.removeAll { $0.id == id }
        self.services.statistics.record { $0.eventsDiscarded += aside.events }
        return true
    }

    // MARK: - Private

    private func knownAsides() throws(SignetError) -> [(id: UUID, events: Int)] {
        if let asides = self.asides { return asides }
        return try self.setAsideRecords().map { ($0, $1.events) }
    }

    private func setAsideRecord(_ id: UUID) throws(SignetError) -> SetAsideRecord? {
        try self.services.store.value(for: StateKey.refusedBatch(id)).flatMap { SetAsideRecord($0) }
    }

    private func setAsideRecords() throws(SignetError) -> [(id: UUID, record: SetAsideRecord)] {
        try self.services.store.values(withPrefix: StateKey.refusedBatches) { self.services.reportDamage($0.message) }
            .compactMap { key, value in
                guard let id = UUID(bytes: key.dropFirst(StateKey.refusedBatches.count)),
                    let record = SetAsideRecord(value)
                else { return nil }
                return (id, record)
            }
            .sorted { ($0.record.milliseconds, $0.id.uuidString) < ($1.record.milliseconds, $1.id.uuidString) }
    }
}
