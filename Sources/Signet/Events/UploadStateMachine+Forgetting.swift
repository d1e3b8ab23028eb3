//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

extension UploadStateMachine {
    /// A user is erased: what waits is taken off, and nothing of it is taken in or made ready again.
    ///
    /// - Parameters:
    ///   - mpid: Who.
    ///   - onWire: Batches that have gone out and have no answer yet; those of the user stay until they have one, or are
    ///     dropped with ``drop(_:)``.
    /// - Returns: The batches that are dropped.
    mutating func forget(_ mpid: MPID, except onWire: Set<UUID>) -> [UUID] {
        self.forgotten[mpid] = .max
        for slot in self.lines.used {
            self.lines[slot].remove(mpid)
            self.changed(slot)
        }
        let dropped = self.batches.filter { id, batch in
            // Of whom nobody knows whose it is may be theirs.
            (batch.mpid ?? mpid) == mpid && !onWire.contains(id)
        }.keys.sorted { (self.batches[$0]?.order ?? 0) < (self.batches[$1]?.order ?? 0) }
        for id in dropped { self.drop(id) }
        return dropped
    }

    /// What was logged after this event is of a user who has come back.
    mutating func limitForgetting(_ mpid: MPID, to reach: UInt64) {
        if self.forgotten[mpid] != nil { self.forgotten[mpid] = reach }
    }

    /// A user was erased; nothing of theirs is left that could come.
    mutating func finishForgetting(_ mpid: MPID) {
        self.forgotten[mpid] = nil
    }

    /// Whether an event or batch of a user is not to be sent.
    func isForgotten(_ mpid: MPID?, _ sequence: UInt64) -> Bool {
        guard let mpid, let reach = self.forgotten[mpid] else { return false }
        return sequence <= reach
    }

    /// Takes a batch off, wherever it is; an answer that still comes for it changes nothing.
    ///
    /// While it is on the wire it may still arrive: its installation sends nothing before that request has ended, or it would
    /// overtake itself.
    mutating func drop(_ id: UUID) {
        guard let batch = self.batches.removeValue(forKey: id) else { return }
        self.ready.removeAll { $0 == id }
        let isOnWire = self.requests.values.contains { $0.batches.contains(id) }
        if isOnWire { self.abandoned[id] = batch.installation }
        guard let slot = self.lines.find(batch.installation) else { return }
        let wasFirst = self.lines[slot].batches.first == id
        self.lines[slot].batches.removeAll { $0 == id }
        if wasFirst { self.makeNextReady(slot) }
        self.changed(slot)
    }

    /// A request has ended: what it had of those who were erased meanwhile holds nobody up any longer.
    mutating func endAbandoned(_ ids: [UUID]) {
        guard !self.abandoned.isEmpty else { return }
        for id in ids {
            guard let installation = self.abandoned.removeValue(forKey: id) else { continue }
            if let slot = self.lines.find(installation) { self.makeNextReady(slot) }
        }
    }

    /// A try has failed: batches of users who were erased meanwhile are not tried again.
    mutating func dropForgotten(_ ids: [UUID]) {
        guard !self.forgotten.isEmpty else { return }
        for id in ids {
            guard let batch = self.batches[id], self.isForgotten(batch.mpid, batch.first) else { continue }
            self.drop(id)
        }
    }
}
