// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

extension EventQueue {
    /// Restores the opt-outs whose events an earlier process had not dropped yet.
    func restoreOptOuts() throws(SignetError) {
        let records = try self.services.store.values(withPrefix: StateKey.optOuts) {
            self.services.reportDamage(
                "The record of an opt-out is damaged. Waiting events of its installation are sent: \($0.message)"
            )
        }
        for (key, _) in records {
            let numbers = key.dropFirst(StateKey.optOuts.count)
            guard let number: UInt32 = StateKey.number(numbers.prefix(4)),
                let last: UInt64 = StateKey.number(numbers.dropFirst(4))
            else { continue }
            self.optOuts[number, default: []].insert(last)
        }
    }

    /// Removes earlier events of opted-out installations from the queue, except those in in-flight batches.
    ///
    /// - Throws: An error if the last of these events cannot be read from disk: then nothing may be sent.
    func takeOffOptedOut() throws(SignetError) {
        for (installation, records) in self.optOuts.sorted(by: { $0.key < $1.key }) {
            var taken = self.optedOut[installation] ?? TakenOff()
            taken.records.formUnion(records)
            if let last = try self.lastDropped(of: installation) {
                taken.sequences += self.machine.takeOff(installation, upTo: last)
                taken.records.insert(last)
            }
            self.optedOut[installation] = taken
            self.optOuts[installation] = nil
        }
    }

    /// Drops the removed events from disk; if the disk fails they are not sent all the same, and the removal is tried
    /// again.
    func dropOptedOut() {
        for installation in self.optedOut.keys.sorted() {
            do throws(SignetError) {
                try self.dropOptedOut(installation)
            } catch {
                self.services.reportDamage(
                    "Events that an opt-out drops could not be removed from disk: \(error.message)"
                )
            }
        }
    }

    private func dropOptedOut(_ installation: UInt32) throws(SignetError) {
        if var taken = self.optedOut[installation], !taken.isEmpty {
            do throws(StorageError) {
                // Events that made room for others are counted under that cause.
                taken.found += try self.live(taken.sequences)
                taken.sequences = []
                self.optedOut[installation] = taken
            } catch {
                throw SignetError(error)
            }
            do throws(SignetError) {
                try self.services.acknowledge(taken.found, of: [installation])
            } catch {
                // The journal may have removed them all the same, if only a file could not be removed. If it cannot be
                // read either, they are counted next time.
                do throws(StorageError) {
                    taken.sequences = try self.live(taken.found)
                } catch {
                    throw SignetError(error)
                }
                self.services.dropped(taken.found.count - taken.sequences.count, .optedOut)
                self.optedOut[installation] = TakenOff(sequences: taken.sequences, records: taken.records)
                throw error
            }
            self.optedOut[installation] = TakenOff(records: taken.records)
            self.services.dropped(taken.found.count, .optedOut)
            self.services.settled()
        }
        // Without a sync a loss of power could bring the events back, without a record that they are to be dropped. It
        // is needed even with nothing left to drop: the sync of the try before may have failed.
        do throws(StorageError) { try self.services.journal.sync() } catch { throw SignetError(error) }
        for last in (self.optedOut[installation]?.records ?? []).sorted() {
            try self.services.store.remove(StateKey.optOut(installation, upTo: last))
        }
        self.optedOut[installation] = nil
    }

    private func live(_ sequences: [UInt64]) throws(StorageError) -> [UInt64] {
        var live: [UInt64] = []
        try self.services.journal.read(sequences) { sequence, _, _ in live.append(sequence) }
        return live
    }

    /// Returns the last event to drop; nil if the process was killed before the installation had opted out.
    private func lastDropped(of installation: UInt32) throws(SignetError) -> UInt64? {
        guard let name = try self.services.name(of: installation) else { return nil }
        return try self.services.users.optedOutAfter(name)
    }
}

/// Events of an opt-out that are not sent any more, but are still in the journal.
struct TakenOff {
    /// Events whose presence in the journal has not been checked.
    var sequences: [UInt64] = []
    /// Events that are in the journal, or were until it was asked to remove them.
    var found: [UInt64] = []
    /// The last events of these opt-outs: each has a record of that name.
    var records: Set<UInt64> = []

    /// True when the journal has removed all of them.
    var isEmpty: Bool { self.sequences.isEmpty && self.found.isEmpty }
}

extension UploadStateMachine {
    /// Removes events that are not to be sent and are in no batch.
    ///
    /// - Parameters:
    ///   - installation: The number of the installation.
    ///   - last: The last event to remove.
    /// - Returns: The numbers of the removed events.
    mutating func takeOff(_ installation: UInt32, upTo last: UInt64) -> [UInt64] {
        var taken: [UInt64] = []
        while let slot = self.lines.find(installation), let run = self.lines[slot].run {
            let sequences = run.events.prefix(run.events.count).prefix { $0 <= last }
            guard !sequences.isEmpty else { break }
            taken += sequences
            self.removeFirst(sequences.count, of: installation)
        }
        return taken
    }
}
