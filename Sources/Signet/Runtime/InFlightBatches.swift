//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal

/// The batches that an earlier process wrote down, held against the journal.
///
/// The death of a process leaves the two as they were. A loss of power does not: what was not flushed of either can be gone,
/// while the platform may have the batch already. Then no other event may take the place of one that is gone, and no batch
/// may go out again with the same id and fewer events.
struct InFlightBatches {
    private let records: [(key: [UInt8], record: BatchRecord)]

    /// Reads them.
    init(_ log: StateLog) throws(StorageError) {
        var records: [(key: [UInt8], record: BatchRecord)] = []
        for key in try log.keys(withPrefix: StateKey.batches) {
            do throws(StorageError) {
                guard let bytes = try log.value(for: key), let record = BatchRecord(bytes) else { continue }
                records.append((key, record))
            } catch {
                // Nobody will send what cannot be read.
                guard error.code == .damagedRecord else { throw error }
            }
        }
        self.records = records
    }

    /// The newest event that is in one of them: the journal must not give its number again.
    var lastSequence: UInt64 {
        self.records.map { $0.record.sequences.last ?? 0 }.max() ?? 0
    }

    /// Forgets those of which a part is gone: what is left of their events goes out in new batches.
    ///
    /// One that is gone as a whole was settled, or never will be seen again; the queue forgets it.
    ///
    /// - Returns: How many were forgotten.
    func takeApart(_ log: StateLog, _ journal: Journal) throws(StorageError) -> Int {
        var taken = 0
        for (key, record) in self.records {
            // One that has all its bytes with it goes out as it is.
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
