// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

extension EventQueue {
    /// Makes a batch and writes it down before its first try, which fixes its bytes.
    func cut(_ cut: UploadStateMachine.BatchPlan) {
        // An installation opted out or was reset since the journal was read. The plan may contain its events, so the
        // machine plans again.
        if self.services.ingress.forbidsCutting {
            if !self.takeIn() { self.machine.pause(until: self.now + Self.diskPause, .disk) }
            return
        }
        do throws(SignetError) {
            let id = UUID.random()
            let installation = try self.services.name(of: cut.installation)
            var filling = try self.services.fill(cut, id, of: installation)
            // All events are gone: damaged, or dropped by the journal, which counts them.
            guard filling.buffer.events > 0 else { return self.machine.skip(cut, count: filling.count) }
            let (events, bytes) = (filling.buffer.events, filling.buffer.eventBytes)
            let body = filling.buffer.finish()
            func record(_ content: BatchRecord.Content, size: Int) -> BatchRecord {
                BatchRecord(
                    id: id,
                    installation: cut.installation,
                    mpid: cut.mpid,
                    sequences: SequenceList(Array(cut.sequences.prefix(filling.count))),
                    events: events,
                    size: size,
                    content: content,
                    removals: filling.removals
                )
            }
            let head = Array(body.prefix(body.count - bytes + 1 - BatchRecord.tail.count))
            // If the journal drops its oldest events, an in-flight batch may lose some: it keeps its bytes.
            let plain = record(self.services.keepsBodies ? .whole(body) : .head(head), size: body.count)
            if filling.isTooLong {
                return try self.refuse(plain, body, .tooLong(body.count), cut, bytes)
            }
            switch self.decide(plain, installation, body) {
            case .send:
                try self.write(InFlightBatch(record: plain, body: (body, events)), cut, filling.count, bytes)
            case .replace(let changed):
                guard Self.isBatch(changed, id) else {
                    return try self.refuse(plain, body, .badReplacement, cut, bytes)
                }
                let whole = record(.whole(changed), size: changed.count)
                try self.write(InFlightBatch(record: whole, body: (changed, events)), cut, filling.count, bytes)
                self.services.statistics.record { $0.batchesChanged += 1 }
                self.services.observer.batchChanged(events: events)
            case .drop:
                try self.services.acknowledge(Array(cut.sequences.prefix(filling.count)), of: [cut.installation])
                self.machine.skip(cut, count: filling.count, bytes: bytes)
                self.services.dropped(events, .hook)
            }
            if filling.hasDeparted, let installation { self.departedCarried(installation, cut.installation) }
        } catch {
            self.services.observer.batchPostponed(events: cut.sequences.count, until: Self.diskPause, error: error)
            self.lastFailure = error
            self.machine.pause(until: self.now + Self.diskPause, .disk)
        }
    }

    private func decide(
        _ record: BatchRecord,
        _ installation: InstallationID?,
        _ body: [UInt8]
    ) -> OutgoingBatch.Decision {
        guard let onCreateBatch = self.services.onCreateBatch, let mpid = record.mpid else { return .send }
        return onCreateBatch(
            OutgoingBatch(
                id: record.id,
                installation: installation,
                mpid: mpid,
                eventCount: record.events,
                json: body
            )
        )
    }

    /// Returns true if an app's bytes may replace the batch: a batch of that id, within the limit.
    private static func isBatch(_ bytes: [UInt8], _ id: UUID) -> Bool {
        guard bytes.count <= UploadLimits.batchBytes else { return false }
        do throws(JSONError) {
            let batch = try JSONReader.read(bytes)
            guard let text = batch["source_request_id"]?.string, UUID(uuidString: text) == id else { return false }
            guard let events = batch["events"]?.array, !events.isEmpty else { return false }
            return events.allSatisfy { $0["event_type"]?.string != nil && $0["data"]?.object != nil }
        } catch {
            return false
        }
    }

    private func write(
        _ batch: InFlightBatch,
        _ cut: UploadStateMachine.BatchPlan,
        _ count: Int,
        _ bytes: Int
    ) throws(SignetError) {
        let record = batch.record
        try self.services.store.put(record.encoded(), for: StateKey.batch(record.id))
        self.held[record.id] = batch
        self.machine.cut(record.id, of: cut, count: count, bytes: bytes, size: record.size)
        do throws(SignetError) {
            try self.carried(record)
        } catch {
            // The next batch reports the removals again, unless a restart forgets them first.
            self.services.reportDamage(
                "Reported attribute removals could not be deleted. The next batch may repeat them: \(error.message)"
            )
        }
    }

    /// Removes the consent of departed users whose events are all in batches.
    private func departedCarried(_ name: InstallationID, _ installation: UInt32) {
        do throws(SignetError) {
            try self.services.users.departedCarried(name, installation) { entry in
                entry.lastEvent <= self.lastSequence && !self.machine.hasEvents(of: entry.mpid, on: installation)
            }
        } catch {
            self.services.reportDamage(
                "The consent of a departed user could not be removed from disk: \(error.message)"
            )
        }
    }

    /// Forgets the removals of attributes that a written batch reports, so that no other batch reports them.
    func carried(_ record: BatchRecord) throws(SignetError) {
        guard record.removals > 0, let mpid = record.mpid, let name = try self.services.name(of: record.installation)
        else { return }
        try self.services.users.removalsCarried(name, mpid, record.removals)
    }

    /// Makes a dead letter of a batch that cannot be sent at all.
    private func refuse(
        _ record: BatchRecord,
        _ body: [UInt8],
        _ error: SignetError,
        _ cut: UploadStateMachine.BatchPlan,
        _ bytes: Int
    ) throws(SignetError) {
        try self.deadLetter(record, body, record.events, error)
        try self.services.acknowledge(record.sequences.prefix(record.sequences.count), of: [cut.installation])
        self.machine.skip(cut, count: record.sequences.count, bytes: bytes)
        self.count(BatchOutcome(record: record, events: record.events, kind: .deadLetters(error)))
        self.services.settled()
    }
}

extension SignetError {
    fileprivate static func tooLong(_ count: Int) -> SignetError {
        SignetError(
            .invalidArgument,
            "A batch with this event alone has \(count) bytes; the platform accepts at most \(UploadLimits.batchBytes)."
        )
    }

    fileprivate static let badReplacement = SignetError(
        .invalidArgument,
        "onCreateBatch returned an invalid batch, so neither batch was sent. Return a JSON object of at most "
            + "\(UploadLimits.batchBytes) bytes with the same source_request_id. Each event needs event_type and data."
    )
}
