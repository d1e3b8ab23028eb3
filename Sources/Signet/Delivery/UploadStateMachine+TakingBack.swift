// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

extension UploadStateMachine {
    /// Takes a batch that was never sent out of its request; its events are cut again.
    ///
    /// - Parameters:
    ///   - id: The id of the batch.
    ///   - plan: Its events, with what they share.
    ///   - bytes: The bytes of these events.
    ///   - number: The number of the request.
    /// - Returns: The rest of the request; nil if no batch of it is left: then it has ended.
    mutating func takeBack(_ id: UUID, _ plan: BatchPlan, bytes: Int, of number: Int) -> Request? {
        let rest = self.requests.takeOut(id, of: number)
        // Nil: dropped meanwhile, and its events with it.
        guard self.removeBatch(id) != nil else {
            self.endAbandoned([id])
            return rest
        }
        // Else a rate of one in a while would hold the next batch until it is as old.
        self.rate.giveBack(1)
        let slot = self.lines.slot(of: plan.installation)
        self.lines[slot].batches.removeAll { $0 == id }
        self.lines[slot].putBack(plan, bytes: bytes, self.limits)
        self.makeNextReady(slot)
        self.changed(slot)
        return rest
    }

    /// Undoes a batch that is not on the wire: its events wait again, before all others of their installation, and are due.
    ///
    /// - Parameters:
    ///   - id: The id of the batch.
    ///   - events: Those of its events that are left.
    mutating func undo(_ id: UUID, _ events: PutBackEvents) {
        guard self.removeBatch(id) != nil else { return }
        self.takeOut(id)
        let slot = self.lines.slot(of: events.installation)
        self.lines[slot].batches.removeAll { $0 == id }
        if let plan = events.plan(session: self.lines[slot].sessionBefore) {
            self.lines[slot].putBack(plan, bytes: events.bytes, self.limits)
        }
        self.makeNextReady(slot)
        self.changed(slot)
    }

    /// Leaves a batch out of a request that was not sent; it was undone or dropped.
    ///
    /// - Returns: The rest of the request; nil if no batch of it is left: then it has ended.
    mutating func leaveOut(_ id: UUID, of number: Int) -> Request? {
        let rest = self.requests.takeOut(id, of: number)
        self.rate.giveBack(1)
        self.endAbandoned([id])
        return rest
    }

    /// The batches of an installation without an answer, oldest first.
    func batches(of installation: UInt32) -> [UUID] {
        self.lines.find(installation).map { self.lines[$0].batches } ?? []
    }
}

extension UploadStateMachine.BatchPlan {
    /// Returns the plan of its first events.
    func first(_ count: Int) -> Self {
        Self(
            installation: self.installation,
            mpid: self.mpid,
            session: self.session,
            context: self.context,
            own: self.own,
            seconds: self.seconds,
            sequences: Array(self.sequences.prefix(count))
        )
    }
}
