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
            if let number = reader.read(UInt32.self) { self.optOuts.insert(number) }
        }
    }

    /// Takes off what is to be sent what installations that have opted out have logged before, unless it is in a batch on
    /// its way.
    ///
    /// - Throws: When the disk does not tell up to which event that is: then nothing may be sent.
    func takeOffOptedOut() throws(SignetError) {
        for installation in self.optOuts.sorted() {
            var sequences = self.optedOut[installation] ?? []
            if let last = try self.lastDropped(of: installation) {
                sequences += self.machine.takeOff(installation, upTo: last)
            }
            self.optedOut[installation] = sequences
            self.optOuts.remove(installation)
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
        if let sequences = self.optedOut[installation], !sequences.isEmpty {
            // Those that made room for others are counted as that.
            var found = 0
            do throws(StorageError) {
                try self.services.journal.read(sequences) { _, _, _ in found += 1 }
            } catch {
                throw SignetError(error)
            }
            try self.services.acknowledge(sequences, of: [installation])
            self.services.dropped(found, .optedOut)
            self.services.settled()
        }
        self.optedOut[installation] = nil
        try self.services.store.remove(StateKey.optOut(installation))
    }

    /// Up to which event to drop; nil when the installation was killed before it had opted out.
    private func lastDropped(of installation: UInt32) throws(SignetError) -> UInt64? {
        guard let name = try self.services.name(of: installation) else { return nil }
        return try self.services.users.optedOutAfter(name)
    }
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
