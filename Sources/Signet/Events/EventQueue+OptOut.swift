//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetModel

extension EventQueue {
    /// What an earlier process did not come to drop.
    func restoreOptOuts() throws(SignetError) {
        let records = try self.services.store.values(withPrefix: StateKey.optOuts) {
            self.services.reportDamage("The record of an opt-out is damaged; what waits is sent: \($0.message)")
        }
        for (key, _) in records {
            var reader = ByteReader(Array(key.dropFirst(StateKey.optOuts.count).reversed()))
            // From the end: the event, then the installation.
            guard let last = reader.read(UInt64.self), let number = reader.read(UInt32.self) else { continue }
            self.optOuts[number, default: []].insert(last)
        }
    }

    /// Takes off what is to be sent what installations that have opted out have logged before, unless it is in a batch on
    /// its way.
    ///
    /// - Throws: When the disk does not tell up to which event that is: then nothing may be sent.
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

    /// Drops what was taken off; what the disk does not let go is not sent all the same, and tried again.
    func dropOptedOut() {
        for installation in self.optedOut.keys.sorted() {
            do throws(SignetError) {
                try self.dropOptedOut(installation)
            } catch {
                self.services.reportDamage("Events of an opt-out could not be removed from disk: \(error.message)")
            }
        }
    }

    private func dropOptedOut(_ installation: UInt32) throws(SignetError) {
        if var taken = self.optedOut[installation], !taken.isEmpty {
            do throws(StorageError) {
                // Those that made room for others are counted as that.
                taken.found += try self.live(taken.sequences)
                taken.sequences = []
                self.optedOut[installation] = taken
            } catch {
                throw SignetError(error)
            }
            do throws(SignetError) {
                try self.services.acknowledge(taken.found, of: [installation])
            } catch {
                // The journal may have let them go all the same, if only a file could not be removed. Counted next time, if
                // it cannot be read either.
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
        // Else a loss of power could bring them back, and nobody would know that they are to be dropped. Also where there is
        // nothing left to drop: the sync of the try before may have failed.
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

    /// Up to which event to drop; nil when the installation was killed before it had opted out.
    private func lastDropped(of installation: UInt32) throws(SignetError) -> UInt64? {
        guard let name = try self.services.name(of: installation) else { return nil }
        return try self.services.users.optedOutAfter(name)
    }
}

/// Events of an opt-out that are not sent any more, and are in the journal still.
struct TakenOff {
    /// Of these nobody has looked whether they are there.
    var sequences: [UInt64] = []
    /// These are, or were until the journal was asked to let them go.
    var found: [UInt64] = []
    /// The last events of the opt-outs that this is about: each has a record of that name.
    var records: Set<UInt64> = []

    /// Whether the journal has let all of them go.
    var isEmpty: Bool { self.sequences.isEmpty && self.found.isEmpty }
}

extension UploadStateMachine {
    /// Takes events off that are not to be sent, and are in no batch.
    ///
    /// - Parameters:
    ///   - installation: Whose.
    ///   - last: The last of them.
    /// - Returns: Which they are.
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
