// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

// A batch between the plan and the disk.
extension EventBacklog {
    /// Makes a batch and writes it down, which fixes its bytes.
    ///
    /// With a shared store it is written down directly before its first try; see ``admit(_:)``.
    mutating func cut(_ whole: UploadStateMachine.BatchPlan) {
        let plan = self.known(whole)
        do throws(SignetError) {
            // An installation opted out or was reset since the journal was read. The plan may contain its events, so the
            // machine plans again.
            if self.context.ingress.forbidsCutting { return try self.takeIn() }
        } catch {
            return self.machine.pause(until: self.now + EventQueue.diskPause, .disk)
        }
        do throws(SignetError) {
            guard try !self.setAsideIfUnreadable(plan) else { return }
            try self.withdraw(plan)
            let made = try self.maker.make(plan, besides: self.heldChanges(of: plan.mpid, on: plan.installation))
            switch made.result {
            case .gone:
                self.machine.skip(plan, count: made.count)
            case .batch(let batch):
                try self.write(batch, plan, made)
            case .changed(let batch):
                try self.write(batch, plan, made)
                self.context.statistics.record { $0.batchesChanged += 1 }
                self.context.observer.batchChanged(events: made.events)
            case .dropped:
                try self.events.acknowledge(Array(plan.sequences.prefix(made.count)), of: [plan.installation])
                self.machine.skip(plan, count: made.count, bytes: made.bytes)
                self.context.dropped(made.events, .hook)
            case .refused(let record, let body, let error):
                try self.deadLetters.add(record, body, events: record.events, error)
                try self.events.acknowledge(Array(plan.sequences.prefix(made.count)), of: [plan.installation])
                self.machine.skip(plan, count: made.count, bytes: made.bytes)
                self.answered.count(BatchOutcome(record: record, events: record.events, kind: .deadLetters(error)))
                self.events.settled.signal()
            }
            if let installation = made.departedFrom {
                self.carried.departed(from: installation, plan.installation, upTo: self.intake.last, self.machine)
            }
        } catch {
            self.context.observer.batchPostponed(
                events: plan.sequences.count,
                until: EventQueue.diskPause,
                error: error
            )
            self.pauses.note(error)
            self.machine.pause(until: self.now + EventQueue.diskPause, .disk)
        }
    }

    /// The installations whose facts must be read before a batch is cut: that of the plan, and those that are due next.
    func unprepared(_ plan: UploadStateMachine.BatchPlan) -> [InstallationID] {
        do throws(SignetError) {
            guard let name = try self.events.name(of: plan.installation) else { return [] }
            let isRead = self.users.reach(name).map { reach in (plan.sequences.first ?? 0) <= reach } ?? true
            guard !isRead || !self.users.isPrepared(name, plan.mpid) else { return [] }
            var names = [name]
            for number in self.machine.due.prefix(63) {
                guard let other = try self.context.numbers.installation(number), other != name else { continue }
                names.append(other)
            }
            return names
        } catch {
            // The cut itself finds and reports it.
            return []
        }
    }

    /// The part of a plan that was logged before the facts were read.
    ///
    /// Another replica may have opted the installation out after the reading, and before a later event.
    private func known(_ plan: UploadStateMachine.BatchPlan) -> UploadStateMachine.BatchPlan {
        guard self.users.readsRows, let last = plan.sequences.last else { return plan }
        let name: InstallationID?
        // The cut itself finds and reports it.
        do throws(SignetError) { name = try self.events.name(of: plan.installation) } catch { return plan }
        guard let name, let reach = self.users.reach(name), last > reach else { return plan }
        return plan.limited(to: reach)
    }

    /// Removes the events of a plan that the installation's user has withdrawn; the batch is made of the others.
    private func withdraw(_ plan: UploadStateMachine.BatchPlan) throws(SignetError) {
        let found: EventWithdrawal? =
            if let name = try self.events.name(of: plan.installation) {
                self.users.withdrawal(name, plan.installation, plan.mpid)
            } else {
                // Nothing says whose they are, and whether they may be sent.
                self.users.readsRows ? .installationGone : nil
            }
        guard let withdrawal = found else { return }
        let dropped = try withdrawal.events(among: plan.sequences, self.context.journal)
        guard !dropped.isEmpty else { return }
        try self.events.acknowledge(dropped, of: [plan.installation])
        self.context.dropped(dropped.count, withdrawal.cause)
    }

    /// The changes of a user's attributes that batches without an answer carry.
    private func heldChanges(of mpid: MPID, on installation: UInt32) -> [String: Int64] {
        guard let slot = self.machine.lines.find(installation) else { return [:] }
        return self.machine.lines[slot].batches.reduce(into: [:]) { changes, id in
            guard let record = self.held[id]?.record, record.mpid == mpid else { return }
            changes.merge(record.facts.changes) { max($0, $1) }
        }
    }

    private mutating func write(
        _ batch: InFlightBatch,
        _ plan: UploadStateMachine.BatchPlan,
        _ made: BatchMaker.Made
    ) throws(SignetError) {
        let record = batch.record
        let bytes = made.bytes ?? 0
        if self.users.readsRows {
            self.held.hold(batch.unwritten(InFlightBatch.Cut(plan: plan.first(made.count), bytes: bytes)))
        } else {
            try self.context.store.put(record.encoded(), for: StateKey.batch(record.id))
            self.held.hold(batch)
        }
        self.machine.cut(record.id, of: plan, count: made.count, bytes: bytes, size: record.size)
    }

    /// Writes a batch down that is about to be sent for the first time.
    mutating func writeDown(_ batch: InFlightBatch) throws(SignetError) {
        let record = batch.record
        try self.context.store.put(record.encoded(), for: StateKey.batch(record.id))
        self.held.written(record.id)
    }
}

extension EventWithdrawal {
    /// The cause under which the events are counted.
    var cause: DropCause {
        switch self {
        case .installationMissing, .installationGone: .installationGone
        case .erased, .erasedBefore: .forgotten
        case .all, .before: .optedOut
        }
    }

    /// The events that it withdraws, by their JSON.
    fileprivate func events(among sequences: [UInt64], _ journal: Journal) throws(SignetError) -> [UInt64] {
        var found: [UInt64] = []
        do throws(StorageError) {
            try journal.read(sequences) { sequence, _, payload in
                if self.applies(to: payload) { found.append(sequence) }
            }
        } catch {
            throw SignetError(error)
        }
        return found
    }

    /// True if it withdraws an event, by the event's JSON.
    func applies(to payload: UnsafeRawBufferPointer) -> Bool {
        guard let head = EventHead.read(payload) else { return false }
        return self.applies(isOptOut: head.kind == .optOut, at: head.milliseconds)
    }

    /// True if it withdraws an event.
    ///
    /// - Parameters:
    ///   - isOptOut: True for the event of an opt-out or opt-in.
    ///   - milliseconds: The moment of the event, since 1970.
    /// - Returns: True if it must not be sent.
    func applies(isOptOut: Bool, at milliseconds: Int64) -> Bool {
        switch self {
        case .installationMissing, .installationGone, .erased: true
        case .all: !isOptOut
        case .before(let moment): !isOptOut && milliseconds < moment
        case .erasedBefore(let moment, let optedIn):
            milliseconds < moment || (!isOptOut && milliseconds < optedIn ?? .min)
        }
    }
}
