// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

// Dead letters.
extension EventQueue {
    /// Reads all dead letters before the first one is added, on the disk's own thread.
    func learnDeadLetters() async {
        let letters = self.backlog.deadLetters
        guard !letters.isKnown else { return }
        do throws(SignetError) {
            let known = try await self.context.disk.perform { () throws(SignetError) in
                try letters.records().map { ($0.id, $0.record.events) }
            }
            self.backlog.deadLetters.learn(known, after: letters.changes)
        } catch {
            // The addition reads them again, and reports the error if it stays.
        }
    }

    /// Returns all dead letters, oldest first; their bytes are read on the disk's own thread.
    func deadLetterBatches() async throws(SignetError) -> [DeadLetterBatches.Batch] {
        let letters = self.backlog.deadLetters
        let records = try await self.context.disk.perform { () throws(SignetError) in try letters.records() }
        return records.map { id, record in
            // The name is for people: the dead letter is returned without it too.
            var installation: InstallationID?
            do throws(SignetError) {
                installation = try self.backlog.events.name(of: record.installation)
            } catch {
                self.context.reportDamage("The name of an installation cannot be read: \(error.message)")
            }
            return DeadLetterBatches.Batch(id, record, installation: installation)
        }
    }

    /// Returns the bytes of a dead letter; nil if none has that id.
    func deadLetterBody(of id: UUID) throws(SignetError) -> [UInt8]? {
        try self.backlog.deadLetters.find(id)?.body
    }

    /// Sends a dead letter again with the same id and the same bytes.
    ///
    /// - Returns: True if there was one.
    func resend(_ id: UUID) throws(SignetError) -> Bool {
        // In-flight batches are read first: one of this id may be among them.
        guard self.takeIn() || self.backlog.intake.isRestored else { return false }
        return try self.backlog.resend(id)
    }

    /// Removes a dead letter.
    ///
    /// - Returns: True if there was one.
    func discard(_ id: UUID) throws(SignetError) -> Bool {
        guard let letter = try self.backlog.deadLetters.find(id) else { return false }
        try self.backlog.deadLetters.remove(id)
        self.context.statistics.record { $0.eventsDiscarded += letter.events }
        return true
    }
}
