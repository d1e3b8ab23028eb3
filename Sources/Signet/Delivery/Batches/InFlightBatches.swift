// SPDX-License-Identifier: Apache-2.0

import SignetJournal

/// The batches that an earlier process recorded, compared with the journal.
///
/// The death of a process leaves both intact. A loss of power can lose unflushed parts of either, while the platform may
/// already have the batch. Then no other event may reuse the number of a lost one, and no batch may be sent again with
/// the same id and fewer events.
struct InFlightBatches {
    private let records: [(key: [UInt8], record: BatchRecord)]

    /// Reads the records of the batches.
    init(_ log: StateLog) throws(StorageError) {
        var records: [(key: [UInt8], record: BatchRecord)] = []
        for key in try log.keys(withPrefix: StateKey.batches) {
            do throws(StorageError) {
                guard let bytes = try log.value(for: key), let record = BatchRecord(bytes) else { continue }
                records.append((key, record))
            } catch {
                // A damaged record is never sent.
                guard error.code == .damagedRecord else { throw error }
            }
        }
        self.records = records
    }

    /// The newest event in these batches: the journal must not assign its number again.
    var lastSequence: UInt64 {
        self.records.map { $0.record.sequences.last ?? 0 }.max() ?? 0
    }

    /// Forgets the batches that lost a part of their events; the rest of the events goes out in new batches.
    ///
    /// A batch without any event left was settled, or is lost; the queue forgets it.
    ///
    /// - Returns: The number of forgotten batches.
    func takeApart(_ log: StateLog, _ journal: Journal) throws(StorageError) -> Int {
        var taken = 0
        for (key, record) in self.records {
            // A record with the whole body is sent unchanged.
            guard case .head = record.content else { continue }
            var present = 0
            try journal.read(record.sequences.prefix(record.sequences.count)) { _, _, _ in present += 1 }
            guard present > 0, present < record.sequences.count else { continue }
            try log.remove(key)
            taken += 1
        }
        return taken
    }
}
