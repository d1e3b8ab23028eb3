// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

extension EventQueue {
    /// The number of events that are checked together.
    private static let portion = 1000

    /// Drops events that have waited for too long, without a known user or an answer of the platform.
    func dropOld() {
        guard let cutoff = self.ageing.cutoff(self.services.time) else { return }
        self.storeClock()
        for slot in self.machine.lines.used {
            let number = self.machine.lines[slot].number
            do throws(SignetError) {
                while try self.dropOld(of: number, before: cutoff) {}
            } catch {
                self.services.reportDamage("Events that are too old could not be removed from disk: \(error.message)")
                return
            }
        }
    }

    /// Compares the wall clock with an earlier process's record of it, and writes the record for the next one.
    func vouchForClock() throws(SignetError) {
        if let bytes = try self.services.store.value(for: StateKey.clock) {
            if let seen = StoredNumber(bytes)?.value { self.ageing.vouch(Int64(clamping: seen)) }
        }
        self.storeClock()
    }

    private func storeClock() {
        let now = StoredNumber(UInt64(clamping: self.services.time.milliseconds))
        do throws(SignetError) {
            try self.services.store.put(now.encoded(), for: StateKey.clock)
        } catch {
            // The next process then waits for an hour before it looks for old events.
        }
    }

    /// Checks the oldest events of one installation.
    ///
    /// - Returns: True if more of them may be too old.
    private func dropOld(of installation: UInt32, before cutoff: UInt32) throws(SignetError) -> Bool {
        guard let slot = self.machine.lines.find(installation), let run = self.machine.lines[slot].run,
            run.seconds < cutoff
        else { return false }
        let sequences = run.events.prefix(Self.portion)
        var young: (sequence: UInt64, seconds: UInt32)?
        var found = 0
        do throws(StorageError) {
            try self.services.journal.read(sequences) { sequence, stamp, _ in
                guard young == nil, let tag = EventMetadata(stamp) else { return }
                let seconds = UInt32(clamping: tag.seconds)
                if seconds < cutoff { found += 1 } else { young = (sequence, seconds) }
            }
        } catch {
            throw SignetError(error)
        }
        let old = young.map { young in Array(sequences.prefix { $0 < young.sequence }) } ?? sequences
        if !old.isEmpty {
            try self.services.acknowledge(old, of: [installation])
            self.machine.removeFirst(old.count, of: installation)
            self.services.dropped(found, .age)
        }
        guard let young else { return true }
        if let slot = self.machine.lines.find(installation) { self.machine.lines[slot].setSeconds(young.seconds) }
        return false
    }
}
