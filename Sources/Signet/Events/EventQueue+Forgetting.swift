//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

extension EventQueue {
    /// A user is erased: no batch of theirs is made or sent from now on.
    ///
    /// - Throws: When it cannot be told what there is, or what was answered for cannot be written down.
    func forget(_ mpid: MPID) throws(SignetError) {
        // What was logged before is taken in, so that what is told of nobody's events comes before what follows.
        guard self.takeIn() else { throw self.readFailure ?? .notSettled }
        // Delivered, but still in the journal: what is erased there would be counted as not delivered.
        self.settleAgain(isUrgent: true)
        guard !self.unsettled.joined().contains(where: { $0.record.mpid == mpid }) else { throw .notSettled }
        self.erasedResends = 0
        for id in self.machine.forget(mpid, except: self.onWire) { self.letGo(of: id) }
        // Whoever waited for them waits no longer, and so do aliases.
        self.services.settled()
        self.services.ingress.wakeup.signal()
    }

    /// What is logged after this event is of a user who has come back.
    func limitForgetting(_ mpid: MPID, to reach: UInt64) {
        self.machine.limitForgetting(mpid, to: reach)
    }

    /// What to wait for until no batch of a user is on the wire; nil when none is.
    func answers(of mpid: MPID) -> Promise<Void>? {
        guard self.isOnWire(mpid) else { return nil }
        let promise = Promise<Void>()
        self.answerWaiters.append((mpid, promise))
        return promise
    }

    /// Nobody waits any longer for the batches of a user that are on the wire: whatever the answers say counts for nothing.
    ///
    /// - Returns: How many batches they were.
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

    /// A user was erased, on disk too.
    ///
    /// - Returns: How many events were erased that were no longer in the journal: of batches that were to be sent again.
    func finishForgetting(_ mpid: MPID) -> Int {
        self.machine.finishForgetting(mpid)
        defer { self.erasedResends = 0 }
        return self.erasedResends
    }

    // MARK: - Answers

    /// A try has failed, and the user of the batch is being erased: there is no other.
    ///
    /// - Returns: Whether that is so.
    func dropForgotten(_ record: BatchRecord) -> Bool {
        guard self.machine.isForgotten(record.mpid, record.sequences.first ?? 0) else { return false }
        self.machine.drop(record.id)
        self.letGo(of: record.id)
        return true
    }

    /// Tells those who wait for answers that are there.
    func tellAnswerWaiters() {
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

    /// Forgets a batch; its events are taken out of the journal by who erases the user.
    private func letGo(of id: UUID) {
        guard let record = self.held.removeValue(forKey: id)?.record, record.sequences.count == 0 else { return }
        self.erasedResends += record.events
        self.services.statistics.record { $0.eventsResending -= record.events }
        self.services.dropped(record.events, .forgotten)
    }
}

extension SignetError {
    /// The disk does not let events go that were answered for.
    fileprivate static let notSettled = SignetError(
        .diskFailed,
        "What the platform has taken cannot be taken out of the journal; call again when the disk works."
    )
}
