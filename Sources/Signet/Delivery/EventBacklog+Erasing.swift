// SPDX-License-Identifier: Apache-2.0

import SignetModel

// Users who are erased, and installations that are reset.
extension EventBacklog {
    /// Begins to erase a user: no batch of theirs is made or sent from now on.
    ///
    /// With a shared store nothing on disk says whose an event of nobody is, and the queue forgets it here. What one try has forgotten
    /// stays known for the next one.
    ///
    /// - Returns: With a shared store, the events of the user that waited or were in a batch.
    /// - Throws: An error if the journal cannot be read, or if answered events cannot be removed from it.
    mutating func forget(_ mpid: MPID) throws(SignetError) -> Set<UInt64> {
        // Read earlier events first, so that attributions of anonymous events come before later updates.
        try self.takeIn()
        // Delivered, but still in the journal: erased there, these events would be counted as not delivered.
        self.answered.settleAgain()
        guard !self.answered.contains(where: { $0.mpid == mpid }) else { throw .notSettled }
        let forgotten = self.erased.begin(mpid, in: &self.machine, &self.held)
        // Callers that wait for these batches wait no longer, and neither do aliases.
        self.events.settled.signal()
        self.context.ingress.wakeup.signal()
        return forgotten
    }

    /// Gives up the batches of a user that are on the wire, and ignores their answers.
    ///
    /// - Returns: The number of these batches.
    mutating func abandonBatches(of mpid: MPID) -> Int {
        let abandoned = self.held.onWire(of: mpid)
        for id in abandoned { self.erased.drop(id, from: &self.machine, &self.held) }
        self.held.stopWaiting(for: mpid)
        self.context.ingress.wakeup.signal()
        return abandoned.count
    }

    /// Drops a batch after a failed try if its user is being erased.
    ///
    /// - Returns: True if it was dropped.
    mutating func dropForgotten(_ record: BatchRecord) -> Bool {
        guard self.machine.isForgotten(record.mpid, record.sequences.first ?? 0) else { return false }
        self.erased.drop(record.id, from: &self.machine, &self.held)
        return true
    }

    /// Removes erased users from all batches: their own batches go from disk, other batches lose their mentions.
    ///
    /// - Parameters:
    ///   - erasure: The erasure.
    ///   - found: The findings of a reading; the batches since then are looked at too.
    /// - Throws: `SignetError` from the disk.
    mutating func erase(_ erasure: inout some BatchErasure, _ found: FoundBatches) throws(SignetError) {
        var found = found
        found.batches.formUnion(Set(self.held.ids.map(StateKey.batch)).subtracting(found.read))
        found.deadLetters.formUnion(self.deadLetters.takeAdded().map(StateKey.deadLetterBatch))
        try erasure.erase(found, upTo: self.intake.last, now: self.context.time.milliseconds)
        self.deadLetters.forgetKnown()
        self.held.erase(&erasure)
    }

    // MARK: - Resets

    /// Begins to reset an installation: no batch of it is made or sent from now on.
    ///
    /// The platform may still take a batch in flight; its answer is ignored.
    ///
    /// - Throws: `SignetError` from the disk; another call finishes the reset.
    mutating func beginReset(_ removal: some EventRemoval) throws(SignetError) {
        // Take in all earlier events, so that none comes later.
        try self.takeIn()
        // Delivered events still in the journal would count as not delivered.
        self.answered.settleAgain()
        guard !self.answered.contains(where: { $0.installation == removal.number }) else { throw .notReset }
        self.resets.add([removal.number])
        self.unsentConsents.remove(removal.number)
        self.resets.takeOff(from: &self.machine, &self.held)
        self.optOuts.forget(removal.number)
        self.waits.forget(removal.id)
        // Erasures resume even if the disk refuses the rest.
        self.held.resumeWaiters()
    }

    /// Ends the reset of an installation, whose batches and events were removed from disk, or some of them.
    mutating func endReset(_ number: UInt32, _ removed: RemovedEvents, _ result: Result<Void, SignetError>) {
        self.deadLetters.forgetKnown()
        self.resets.finish(number, removed, result)
    }

    /// Forgets installations that were removed and had nothing waiting.
    mutating func forget(_ removed: [any EventRemoval]) {
        for removal in removed {
            self.unsentConsents.remove(removal.number)
            self.optOuts.forget(removal.number)
            self.waits.forget(removal.id)
        }
    }
}

extension SignetError {
    /// The disk refuses to remove events that the platform has answered for.
    fileprivate static let notSettled = SignetError(
        .diskFailed,
        "Answered events cannot be removed from the journal. Call again when the disk works."
    )

    fileprivate static let notReset = SignetError(
        .diskFailed,
        "The journal cannot be read or written. The reset is recorded and finishes when the disk works."
    )
}
