// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// Takes events of opted-out installations off the queue, and drops them from disk; a kill in between costs nothing.
struct OptOutDrops: Sendable {
    /// Events of an opt-out that are not sent any more, but are still in the journal.
    private struct TakenOff {
        /// Events whose presence in the journal has not been checked.
        var sequences: [UInt64] = []
        /// Events that are in the journal, or were until it was asked to remove them.
        var found: [UInt64] = []
        /// The last events of these opt-outs: each has a record of that name.
        var records: Set<UInt64> = []

        /// True when the journal has removed all of them.
        var isEmpty: Bool { self.sequences.isEmpty && self.found.isEmpty }
    }

    private let context: RuntimeContext
    private let users: any EventUsers
    private let events: WaitingEvents
    private let undoing: BatchUndoing
    /// Installations whose events are still in the queue or on the wire, with the names of their records.
    private var reported: [UInt32: Set<UInt64>] = [:]
    /// Events that the disk has not removed yet, by installation.
    private var taken: [UInt32: TakenOff] = [:]
    /// The last events to drop of installations with a batch that is on the wire, or that the disk has not removed.
    private var kept: [UInt32: UInt64] = [:]

    /// The time of the next try of what the disk has refused; nil if it has refused nothing.
    private(set) var retryAt: Duration?

    init(_ context: RuntimeContext, _ users: any EventUsers, _ events: WaitingEvents, _ undoing: BatchUndoing) {
        self.context = context
        self.users = users
        self.events = events
        self.undoing = undoing
    }

    /// Restores the opt-outs whose events an earlier process had not dropped yet.
    mutating func restore() throws(SignetError) {
        let records = try self.context.store.values(withPrefix: StateKey.optOuts) {
            self.context.reportDamage(
                "The record of an opt-out is damaged. Waiting events of its installation are sent: \($0.message)"
            )
        }
        for (key, _) in records {
            let numbers = key.dropFirst(StateKey.optOuts.count)
            guard let number: UInt32 = StateKey.number(numbers.prefix(4)),
                let last: UInt64 = StateKey.number(numbers.dropFirst(4))
            else { continue }
            self.reported[number, default: []].insert(last)
        }
    }

    /// Adds installations that have opted out.
    mutating func add(_ installations: Set<UInt32>) {
        self.reported.merge(installations.map { ($0, []) }) { records, _ in records }
    }

    /// Forgets an installation that is reset: all of its events go.
    mutating func forget(_ installation: UInt32) {
        (self.reported[installation], self.taken[installation], self.kept[installation]) = (nil, nil, nil)
    }

    /// True while events of an opt-out are to be taken off.
    var isPending: Bool { !self.reported.isEmpty }

    /// True if an opt-out withdraws a batch that the disk has not removed.
    func withdraws(_ record: BatchRecord) -> Bool {
        self.kept[record.installation].map { record.isWithdrawn(upTo: $0) } ?? false
    }

    /// Takes earlier events of opted-out installations off the queue, those in batches too.
    ///
    /// A batch on the wire stays until its try has ended; if that fails, its events are taken off then. Until then the opt-out's record stays:
    /// a process that finds both drops the batch.
    ///
    /// - Throws: An error if the last of these events cannot be read from disk: then nothing may be sent.
    mutating func takeOff(from machine: inout UploadStateMachine, _ held: inout HeldBatches) throws(SignetError) {
        for (installation, records) in self.reported.sorted(by: { $0.key < $1.key }) {
            let last = try self.lastDropped(of: installation)
            let isDone = last.map { self.undoBatches(of: installation, upTo: $0, in: &machine, &held) } ?? true
            self.kept[installation] = isDone ? nil : last
            var taken = self.taken[installation] ?? TakenOff()
            if let last { taken.sequences += machine.takeOff(installation, upTo: last) }
            if isDone {
                taken.records.formUnion(records)
                if let last { taken.records.insert(last) }
                self.reported[installation] = nil
            }
            if isDone || !taken.isEmpty { self.taken[installation] = taken }
        }
    }

    /// Undoes the batches with events of before an opt-out, the newest first, so that their events wait in order.
    ///
    /// - Returns: False if one is on the wire, or if the disk has not removed one.
    private mutating func undoBatches(
        of installation: UInt32,
        upTo last: UInt64,
        in machine: inout UploadStateMachine,
        _ held: inout HeldBatches
    ) -> Bool {
        var isDone = true
        for id in machine.batches(of: installation).reversed() {
            guard let record = held[id]?.record, record.isWithdrawn(upTo: last) else { continue }
            guard !held.onWire.contains(id) else {
                isDone = false
                continue
            }
            do throws(SignetError) {
                if record.sequences.count == 0 {
                    try self.undoing.drop(id, .optedOut, from: &machine, &held)
                    self.events.settled.signal()
                } else {
                    try self.undoing.undo(id, in: &machine, &held)
                }
            } catch {
                self.report(error)
                isDone = false
            }
        }
        return isDone
    }

    /// Returns the last event to drop; nil if the process was killed before the installation had opted out.
    private func lastDropped(of installation: UInt32) throws(SignetError) -> UInt64? {
        guard let name = try self.events.name(of: installation) else { return nil }
        return try self.users.optedOutAfter(name)
    }

    /// Drops the events from disk; if the disk fails they are not sent all the same, and the removal is tried again.
    ///
    /// The records of the opt-outs stay until ``flushed(_:)``: without a flush a loss of power could bring the events back, without a
    /// record that they are to be dropped.
    mutating func drop() {
        if let retryAt, retryAt <= self.context.time.uptime { self.retryAt = nil }
        for installation in self.taken.keys.sorted() {
            do throws(SignetError) {
                try self.drop(installation)
            } catch {
                self.report(error)
            }
        }
    }

    private mutating func drop(_ installation: UInt32) throws(SignetError) {
        guard var taken = self.taken[installation], !taken.isEmpty else { return }
        // Events that made room for others are counted under that cause.
        taken.found += try self.events.live(taken.sequences)
        taken.sequences = []
        self.taken[installation] = taken
        do throws(SignetError) {
            try self.events.acknowledge(taken.found, of: [installation])
        } catch {
            // The journal may have removed them all the same, if only a file could not be removed. If it cannot be
            // read either, they are counted next time.
            taken.sequences = try self.events.live(taken.found)
            self.context.dropped(taken.found.count - taken.sequences.count, .optedOut)
            self.taken[installation] = TakenOff(sequences: taken.sequences, records: taken.records)
            throw error
        }
        self.taken[installation] = TakenOff(records: taken.records)
        self.context.dropped(taken.found.count, .optedOut)
        self.events.settled.signal()
    }

    // MARK: - Ending

    /// The installations whose events have gone, with the records that a flush makes needless.
    ///
    /// A flush is needed even with nothing left to drop: that of the try before may have failed.
    var unflushed: [UInt32: Set<UInt64>] {
        self.taken.filter { $0.value.isEmpty }.mapValues(\.records)
    }

    /// Removes the records of these opt-outs, after a flush that began when they were unflushed.
    mutating func flushed(_ opted: [UInt32: Set<UInt64>]) {
        for (installation, records) in opted.sorted(by: { $0.key < $1.key }) {
            do throws(SignetError) {
                for last in records.sorted() {
                    try self.context.store.remove(StateKey.optOut(installation, upTo: last))
                }
            } catch {
                self.report(error)
                continue
            }
            // The installation may have opted out again meanwhile.
            self.taken[installation]?.records.subtract(records)
            guard let taken = self.taken[installation], taken.isEmpty, taken.records.isEmpty else { continue }
            self.taken[installation] = nil
        }
    }

    /// Reports that the disk has refused to drop events; the next try follows.
    mutating func report(_ error: SignetError) {
        self.retryAt = self.context.time.uptime + EventQueue.diskPause
        self.context.reportDamage("Events that an opt-out drops could not be removed from disk: \(error.message)")
    }
}
