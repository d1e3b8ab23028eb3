// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// Takes erased users off the queue, and knows what it has forgotten of them until their erasure is done.
struct ErasedEvents: Sendable {
    private let context: RuntimeContext
    private let users: any EventUsers
    /// The number of events erased in batches to be sent again, since the last erasure began.
    private var resends = 0
    /// The events that the queue has forgotten, by user; with a shared store only.
    private var forgotten: [MPID: Set<UInt64>] = [:]

    init(_ context: RuntimeContext, _ users: any EventUsers) {
        self.context = context
        self.users = users
    }

    /// Removes the waiting events and the batches of a user; the batches on the wire stay.
    ///
    /// - Returns: With a shared store, the events that this try and those before have removed.
    mutating func begin(
        _ mpid: MPID,
        in machine: inout UploadStateMachine,
        _ held: inout HeldBatches
    ) -> Set<UInt64> {
        self.resends = 0
        if self.users.readsRows {
            let sequences = machine.sequences(of: mpid).union(held.sequences(of: mpid))
            self.forgotten[mpid, default: []].formUnion(sequences)
        }
        for id in machine.forget(mpid, except: held.onWire) { self.letGo(of: id, &held) }
        return self.forgotten[mpid] ?? []
    }

    /// Drops a batch that was sent; a later answer for it changes nothing.
    mutating func drop(_ id: UUID, from machine: inout UploadStateMachine, _ held: inout HeldBatches) {
        machine.drop(id)
        self.letGo(of: id, &held)
    }

    /// Ends the erasure of a user.
    ///
    /// - Returns: The number of erased events that were no longer in the journal: those of batches to be sent again.
    mutating func finish(_ mpid: MPID) -> Int {
        self.forgotten[mpid] = nil
        defer { self.resends = 0 }
        return self.resends
    }

    /// Forgets a batch; the erasure of the user removes its events from the journal.
    private mutating func letGo(of id: UUID, _ held: inout HeldBatches) {
        guard let record = held.remove(id), record.sequences.count == 0 else { return }
        self.resends += record.events
        self.context.statistics.record { $0.eventsResending -= record.events }
        self.context.dropped(record.events, .forgotten)
    }
}
