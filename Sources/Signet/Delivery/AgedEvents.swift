// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// Drops events that have waited for too long, without a known user or an answer of the platform.
struct AgedEvents: Sendable {
    /// The number of events that are checked together.
    private static let portion = 1000

    private let context: RuntimeContext
    private let events: WaitingEvents
    private var ageing: EventAgeing

    init(_ context: RuntimeContext, _ events: WaitingEvents) {
        self.context = context
        self.events = events
        self.ageing = EventAgeing(context.time, keeping: context.configuration.uploadLimits.maximumAge)
    }

    /// Compares the wall clock with an earlier process's record of it, and writes the record for the next one.
    mutating func vouchForClock() throws(SignetError) {
        if let bytes = try self.context.store.value(for: StateKey.clock) {
            if let seen = StoredNumber(bytes)?.value { self.ageing.vouch(Int64(clamping: seen)) }
        }
        self.storeClock()
    }

    /// Drops the events that are too old, if it is time to look.
    mutating func drop(from machine: inout UploadStateMachine) {
        guard let cutoff = self.ageing.cutoff(self.context.time) else { return }
        self.storeClock()
        for slot in machine.lines.used {
            let number = machine.lines[slot].number
            do throws(SignetError) {
                while try self.drop(from: &machine, of: number, before: cutoff) {}
            } catch {
                self.context.reportDamage("Events that are too old could not be removed from disk: \(error.message)")
                return
            }
        }
    }

    private func storeClock() {
        let now = StoredNumber(UInt64(clamping: self.context.time.milliseconds))
        do throws(SignetError) {
            try self.context.store.put(now.encoded(), for: StateKey.clock)
        } catch {
            // The next process then waits for an hour before it looks for old events.
        }
    }

    /// Checks the oldest events of one installation.
    ///
    /// - Returns: True if more of them may be too old.
    private func drop(
        from machine: inout UploadStateMachine,
        of installation: UInt32,
        before cutoff: UInt32
    ) throws(SignetError) -> Bool {
        guard let slot = machine.lines.find(installation), let run = machine.lines[slot].run, run.seconds < cutoff
        else { return false }
        let sequences = run.events.prefix(Self.portion)
        var young: (sequence: UInt64, seconds: UInt32)?
        var found = 0
        do throws(StorageError) {
            try self.context.journal.read(sequences) { sequence, stamp, _ in
                guard young == nil, let tag = EventMetadata(stamp) else { return }
                let seconds = UInt32(clamping: tag.seconds)
                if seconds < cutoff { found += 1 } else { young = (sequence, seconds) }
            }
        } catch {
            throw SignetError(error)
        }
        let old = young.map { young in Array(sequences.prefix { $0 < young.sequence }) } ?? sequences
        if !old.isEmpty {
            try self.events.acknowledge(old, of: [installation])
            machine.removeFirst(old.count, of: installation)
            self.context.dropped(found, .age)
        }
        guard let young else { return true }
        if let slot = machine.lines.find(installation) { machine.lines[slot].setSeconds(young.seconds) }
        return false
    }
}
