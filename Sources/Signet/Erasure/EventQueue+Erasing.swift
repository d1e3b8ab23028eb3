// SPDX-License-Identifier: Apache-2.0

extension EventQueue {
    /// Removes erased users from all batches on disk: their own batches go, other batches lose their mentions.
    ///
    /// It runs in the queue, because the queue writes and removes batches.
    func erase(_ records: RecordErasure) throws(SignetError) -> RecordErasure {
        var records = records
        let now = self.services.time.milliseconds
        try records.erase(.batch, upTo: self.lastSequence, now: now)
        try records.erase(.deadLetterBatch, upTo: self.lastSequence, now: now)
        self.deadLettered = nil
        for (id, batch) in self.held {
            // The body is read again when it is sent.
            self.held[id]?.body = nil
            guard let changed = batch.record.removing(&records.subjects) else { continue }
            self.held[id] = InFlightBatch(record: changed, isRepeated: batch.isRepeated)
        }
        return records
    }
}
