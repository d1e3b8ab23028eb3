// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

import struct FoundationEssentials.UUID

// Directly before each try, the choice of the installation's user is asked again: what is on the wire then is the last that goes.
extension EventBacklog {
    /// The installations whose rows must be read before a request: those of its batches that were made a while ago.
    ///
    /// Those that were never sent are cut again, which reads the row by itself.
    func unread(_ request: UploadStateMachine.Request) -> [InstallationID] {
        guard self.users.readsRows else { return [] }
        let batches = request.batches.compactMap { self.held[$0] }.filter { self.isOld($0) && $0.cut == nil }
        var names: Set<InstallationID> = []
        for batch in batches {
            // An error of the disk is found again, and reported, when the batch is judged.
            do throws(SignetError) {
                if let name = try self.events.name(of: batch.record.installation) { names.insert(name) }
            } catch {
                return []
            }
        }
        return names.sorted { $0.rawValue < $1.rawValue }
    }

    /// Takes out of a request what must not be sent, or not as it is.
    ///
    /// A batch with an event of before an opt-out is undone: that event is dropped and counted, and others go in a batch of another id.
    /// Otherwise a batch that may have been sent keeps its bytes, so that the platform recognises it.
    ///
    /// - Returns: The rest of the request; nil if nothing of it is left.
    /// - Throws: The error of the disk; then nothing may be sent.
    mutating func admit(_ planned: UploadStateMachine.Request) throws(SignetError) -> UploadStateMachine.Request? {
        if self.context.ingress.forbidsCutting || self.optOuts.isPending { try self.takeIn() }
        var left: UploadStateMachine.Request? = planned
        var read: Set<InstallationID> = []
        for id in planned.batches {
            guard let batch = self.held[id] else {
                left = self.machine.leaveOut(id, of: planned.number)
                continue
            }
            switch try self.judge(batch, &read) {
            case .send:
                break
            case .cutAgain(let cut):
                self.held[id] = nil
                left = self.machine.takeBack(id, cut.plan, bytes: cut.bytes, of: planned.number)
            case .undo:
                try self.undoBatches(of: batch.record.installation)
                left = self.machine.leaveOut(id, of: planned.number)
            case .drop(let cause):
                try self.undoing.drop(id, cause, from: &self.machine, &self.held)
                left = self.machine.leaveOut(id, of: planned.number)
                self.events.settled.signal()
            case .wait(let end):
                left = self.machine.setAside(id, until: end, of: planned.number)
            }
        }
        // Read for this: what is cut later needs what is so then.
        for name in read { self.users.forgetReading(name) }
        return left
    }

    /// The decision on a batch that is about to be sent.
    private enum Judgement {
        case send
        /// It was never sent, and is made again with the facts of now.
        case cutAgain(InFlightBatch.Cut)
        /// Some of its events must not be sent, perhaps all.
        case undo
        /// It must not be sent, and its events are in its bytes alone.
        case drop(DropCause)
        /// It waits until this uptime: nothing says yet if it may be sent.
        case wait(until: Duration)
    }

    private mutating func judge(
        _ batch: InFlightBatch,
        _ read: inout Set<InstallationID>
    ) throws(SignetError) -> Judgement {
        let record = batch.record
        // The disk did not take that it goes; its opt-out stands.
        if self.optOuts.withdraws(record) { return .wait(until: self.now + EventQueue.diskPause) }
        let name = try self.events.name(of: record.installation)
        guard self.users.readsRows else {
            // The events of others have the numbers by which an opt-out drops them.
            guard record.sequences.count == 0, let name else { return .send }
            let isOptedOut = try self.users.isOptedOut(name)
            // Of before an opt-out that is over by now, for a former dead letter.
            let last = try self.users.optedOutAfter(name)
            let isEarlier = last.map { last in record.first.map { $0 <= last } ?? false } ?? false
            guard isOptedOut || isEarlier else { return .send }
            return record.isWithdrawn(by: .all) ? .drop(.optedOut) : .send
        }
        guard self.isOld(batch) else { return .send }
        if let cut = batch.cut { return .cutAgain(cut) }
        // Without a name, nothing says whether it may be sent.
        guard let name else { return record.sequences.count == 0 ? .drop(.installationGone) : .undo }
        read.insert(name)
        if let error = self.users.unreadable(name) {
            self.pauses.note(error)
            self.unreadable.report(record.installation, name, events: record.events, error)
            return .wait(until: self.now + UnreadableRows.pause)
        }
        // Another job has used the reading up meanwhile.
        guard self.users.reach(name) != nil else { return .wait(until: self.now) }
        self.unreadable.found(record.installation)
        guard let withdrawal = self.users.withdrawal(name, record.installation, record.mpid) else { return .send }
        guard record.sequences.count == 0 else { return try self.isTouched(record, by: withdrawal) ? .undo : .send }
        return record.isWithdrawn(by: withdrawal) ? .drop(withdrawal.cause) : .send
    }

    /// True if another replica may have opted the batch's installation out since it was made, or erased its user.
    func isOld(_ batch: InFlightBatch) -> Bool {
        batch.madeAt.map { self.now - $0 >= Self.freshness } ?? true
    }

    private func isTouched(_ record: BatchRecord, by withdrawal: EventWithdrawal) throws(SignetError) -> Bool {
        var isTouched = false
        do throws(StorageError) {
            try self.context.journal.read(record.sequences.prefix(record.sequences.count)) { _, _, payload in
                isTouched = isTouched || withdrawal.applies(to: payload)
            }
        } catch {
            throw SignetError(error)
        }
        return isTouched
    }

    /// Undoes all batches of an installation, the newest first: the events of a later one must not overtake the rest.
    private mutating func undoBatches(of installation: UInt32) throws(SignetError) {
        for id in self.machine.batches(of: installation).reversed() {
            guard let record = self.held[id]?.record, record.sequences.count > 0, !self.held.onWire.contains(id) else {
                continue
            }
            try self.undoing.undo(id, in: &self.machine, &self.held)
        }
    }
}
