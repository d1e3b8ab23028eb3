//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension EventQueue {
    /// Takes those who are erased out of all batches on disk: theirs go, others lose what they say of them.
    ///
    /// Within the queue, because it writes and removes batches.
    func erase(_ records: RecordErasure) throws(SignetError) -> RecordErasure {
        var records = records
        let now = self.services.time.milliseconds
        try records.erase(.batch, upTo: self.lastSequence, now: now)
        try records.erase(.deadLetterBatch, upTo: self.lastSequence, now: now)
        self.deadLettered = nil
        for (id, batch) in self.held {
            // Read again when it is sent.
            self.held[id]?.body = nil
            guard let changed = batch.record.removing(&records.subjects) else { continue }
            self.held[id] = InFlightBatch(record: changed, isRepeated: batch.isRepeated)
        }
        return records
    }
}
