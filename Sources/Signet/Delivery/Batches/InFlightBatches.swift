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

    /// The batches that lost events, and these events.
    struct Losses: Hashable {
        /// The batches that lost some of their events.
        var apart = 0
        /// The batches that lost all of their events.
        var whole = 0
        /// The lost events of both.
        var events = 0

        /// A sentence; nil if nothing is lost.
        var description: String? {
            guard self != Losses() else { return nil }
            // Those that are not there were acknowledged before a crash.
            guard self.events > 0 else { return "\(self.apart) in-flight batches lack events and are made again." }
            return """
                The journal lacks \(self.events) events that in-flight batches name: a file was removed, or is damaged. \
                \(self.whole) batches have lost all of their events, \(self.apart) others are made again.
                """
        }
    }

    /// Forgets the batches that lost events; the rest of the events goes out in new batches.
    ///
    /// A batch without any event whose events were acknowledged was settled; the queue forgets it.
    ///
    /// - Parameters:
    ///   - log: The records of the batches.
    ///   - journal: The events.
    ///   - countsWhole: False if events may have made room for others, which leaves a record that has all bytes.
    /// - Returns: The losses.
    /// - Throws: The error of the disk.
    func takeApart(_ log: StateLog, _ journal: Journal, countsWhole: Bool) throws(StorageError) -> Losses {
        var losses = Losses()
        let lost = journal.recovery.lost
        for (key, record) in self.records {
            let sequences = record.sequences.prefix(record.sequences.count)
            guard !sequences.isEmpty else { continue }
            let hasBytes: Bool
            switch record.content {
            case .head: hasBytes = false
            // Sent unchanged as long as one event is left.
            case .whole: hasBytes = true
            case .answered: continue
            }
            guard !hasBytes || countsWhole else { continue }
            var present = 0
            try journal.read(sequences) { _, _, _ in present += 1 }
            guard present < sequences.count, !hasBytes || present == 0 else { continue }
            let missing = journal.countMissing(sequences)
            guard present > 0 || missing == sequences.count else { continue }
            // Those that were lost with the header of a file are counted already.
            losses.events += missing - sequences.count { sequence in lost.contains { $0.contains(sequence) } }
            if present > 0 { losses.apart += 1 } else { losses.whole += 1 }
            if present == 0, record.hash != nil {
                // The platform may have its facts: they are compared, as after an answer.
                try log.put(record.replacing(events: 0, size: 0, content: .answered).encoded(), for: key)
            } else {
                try log.remove(key)
            }
        }
        return losses
    }
}
