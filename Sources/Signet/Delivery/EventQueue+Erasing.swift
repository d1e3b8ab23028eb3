// SPDX-License-Identifier: Apache-2.0

import SignetModel

// Erasures and resets.
extension EventQueue {
    /// The users of waiting events and of batches, and those whose erasure is under way.
    var users: Set<MPID> {
        self.backlog.machine.users
    }

    /// Begins to erase a user: no batch of theirs is made or sent from now on.
    ///
    /// - Returns: See ``EventBacklog/forget(_:)``.
    /// - Throws: An error if the journal cannot be read, or if answered events cannot be removed from it.
    func forget(_ mpid: MPID) throws(SignetError) -> Set<UInt64> {
        try self.backlog.forget(mpid)
    }

    /// Limits an erasure to events up to this one: later events are of a user who has come back.
    func limitForgetting(_ mpid: MPID, to reach: UInt64) {
        self.backlog.machine.limitForgetting(mpid, to: reach)
    }

    /// Returns a promise that resolves when no batch of a user is on the wire; nil if none is.
    func answers(of mpid: MPID) -> Promise<Void>? {
        self.backlog.held.answers(of: mpid)
    }

    /// Gives up the batches of a user that are on the wire, and ignores their answers.
    ///
    /// - Returns: The number of these batches.
    func abandonBatches(of mpid: MPID) -> Int {
        self.backlog.abandonBatches(of: mpid)
    }

    /// Removes erased users from all batches on disk: their own batches go, other batches lose their mentions.
    ///
    /// The disk's own thread reads them all. Those that change do so on this actor, because only it writes and removes batches.
    func erase<Erasure: BatchErasure>(_ erasure: Erasure) async throws(SignetError) -> Erasure {
        let (last, now) = (self.backlog.intake.last, self.context.time.milliseconds)
        self.backlog.deadLetters.noteAdded()
        let found = try await self.context.disk.perform { () throws(SignetError) in
            try erasure.findBatches(upTo: last, now: now)
        }
        var erasure = erasure
        try self.backlog.erase(&erasure, found)
        return erasure
    }

    /// Ends the erasure of a user, after it is done on disk too.
    ///
    /// - Returns: The number of erased events that were no longer in the journal: those of batches to be sent again.
    func finishForgetting(_ mpid: MPID) -> Int {
        self.backlog.machine.finishForgetting(mpid)
        return self.backlog.erased.finish(mpid)
    }

    /// Resets an installation: stops its uploads and removes its events and batches, on disk too.
    ///
    /// - Throws: `SignetError` from the disk; another call finishes the reset.
    func reset(_ removal: some EventRemoval) async throws(SignetError) {
        try self.backlog.beginReset(removal)
        let (store, journal) = (self.context.store, self.context.journal)
        // It reads all waiting events. The machine has none of these, and takes in none until the end of the reset.
        let (removed, result) = try await self.context.disk.perform { () throws(SignetError) in
            var removed = RemovedEvents()
            let result = Result { () throws(SignetError) in try removal.removeEvents(from: store, journal, &removed) }
            return (removed, result)
        }
        self.backlog.endReset(removal.number, removed, result)
        try result.get()
    }

    /// Forgets installations that were removed and had nothing waiting.
    func forget(_ removed: [any EventRemoval]) {
        self.backlog.forget(removed)
    }
}
