// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

extension EventQueue {
    /// Begins to erase a user: no batch of theirs is made or sent from now on.
    ///
    /// - Throws: An error if the journal cannot be read, or if answered events cannot be removed from it.
    func forget(_ mpid: MPID) throws(SignetError) {
        // Read earlier events first, so that attributions of anonymous events come before later updates.
        guard self.takeIn() else { throw self.readFailure ?? .notSettled }
        // Delivered, but still in the journal: erased there, these events would be counted as not delivered.
        self.settleAgain(isUrgent: true)
        guard !self.unsettled.joined().contains(where: { $0.record.mpid == mpid }) else { throw .notSettled }
        self.erasedResends = 0
        for id in self.machine.forget(mpid, except: self.onWire) { self.letGo(of: id) }
        // Callers that wait for these batches wait no longer, and neither do aliases.
        self.services.settled()
        self.services.ingress.wakeup.signal()
    }

    /// Limits an erasure to events up to this one: later events are of a user who has come back.
    func limitForgetting(_ mpid: MPID, to reach: UInt64) {
        self.machine.limitForgetting(mpid, to: reach)
    }

    /// Returns a promise that resolves when no batch of a user is on the wire; nil if none is.
    func answers(of mpid: MPID) -> Promise<Void>? {
        guard self.isOnWire(mpid) else { return nil }
        let promise = Promise<Void>()
        self.answerWaiters.append((mpid, promise))
        return promise
    }

    /// Gives up the batches of a user that are on the wire, and ignores their answers.
    ///
    /// - Returns: The number of these batches.
    func abandonBatches(of mpid: MPID) -> Int {
        let abandoned = self.onWire.filter { self.held[$0]?.record.mpid == mpid }
        for id in abandoned {
            self.machine.drop(id)
            self.letGo(of: id)
        }
        self.answerWaiters.removeAll { $0.mpid == mpid }
        self.services.ingress.wakeup.signal()
        return abandoned.count
    }

    /// Ends the erasure of a user, after it is done on disk too.
    ///
    /// - Returns: The number of erased events that were no longer in the journal: those of batches to be sent again.
    func finishForgetting(_ mpid: MPID) -> Int {
        self.machine.finishForgetting(mpid)
        defer { self.erasedResends = 0 }
        return self.erasedResends
    }

    // MARK: - Answers

    /// Drops a batch after a failed try if its user is being erased.
    ///
    /// - Returns: True if it was dropped.
    func dropForgotten(_ record: BatchRecord) -> Bool {
        guard self.machine.isForgotten(record.mpid, record.sequences.first ?? 0) else { return false }
        self.machine.drop(record.id)
        self.letGo(of: record.id)
        return true
    }

    /// Notifies the erasures whose answers have all come.
    func resumeAnswerWaiters() {
        guard !self.answerWaiters.isEmpty else { return }
        self.answerWaiters.removeAll { waiter in
            guard !self.isOnWire(waiter.mpid) else { return false }
            waiter.promise.resolve(())
            return true
        }
    }

    private func isOnWire(_ mpid: MPID) -> Bool {
        self.onWire.contains { self.held[$0]?.record.mpid == mpid }
    }

    /// Forgets a batch; the erasure of the user removes its events from the journal.
    private func letGo(of id: UUID) {
        guard let record = self.held.removeValue(forKey: id)?.record, record.sequences.count == 0 else { return }
        self.erasedResends += record.events
        self.services.statistics.record { $0.eventsResending -= record.events }
        self.services.dropped(record.events, .forgotten)
    }
}

extension SignetError {
    /// The disk refuses to remove events that the platform has answered for.
    fileprivate static let notSettled = SignetError(
        .diskFailed,
        "Answered events cannot be removed from the journal. Call again when the disk works."
    )
}
