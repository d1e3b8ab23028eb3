// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

extension UploadStateMachine {
    /// The users of all events and batches, and those whose erasure has begun: after a failed try nothing else may know them.
    var users: Set<MPID> {
        var users = Set(self.batches.values.compactMap(\.mpid)).union(self.forgotten.keys)
        for slot in self.lines.used { users.formUnion(self.lines[slot].runs.compactMap(\.key.mpid)) }
        return users
    }

    /// The waiting events of a user.
    func sequences(of mpid: MPID) -> Set<UInt64> {
        self.lines.used.reduce(into: []) { found, slot in
            for run in self.lines[slot].runs where run.key.mpid == mpid {
                found.formUnion(run.events.prefix(run.events.count))
            }
        }
    }

    /// Begins to erase a user: removes their waiting events; none are taken in or made ready again.
    ///
    /// - Parameters:
    ///   - mpid: The user.
    ///   - onWire: Batches that have been sent and have no answer yet. Those of the user stay until they have one, or
    ///     are dropped with ``drop(_:)``.
    /// - Returns: The batches that are dropped.
    mutating func forget(_ mpid: MPID, except onWire: Set<UUID>) -> [UUID] {
        self.forgotten[mpid] = .max
        for slot in self.lines.used {
            self.lines[slot].remove(mpid)
            self.changed(slot)
        }
        let dropped = self.batches.filter { id, batch in
            // A batch of an unknown user may be theirs.
            (batch.mpid ?? mpid) == mpid && !onWire.contains(id)
        }.keys.sorted { (self.batches[$0]?.order ?? 0) < (self.batches[$1]?.order ?? 0) }
        for id in dropped { self.drop(id) }
        return dropped
    }

    /// Limits an erasure to events up to this one: later events are of a user who has come back.
    mutating func limitForgetting(_ mpid: MPID, to reach: UInt64) {
        if self.forgotten[mpid] != nil { self.forgotten[mpid] = reach }
    }

    /// Ends the erasure of a user; no event of theirs is left that could come.
    mutating func finishForgetting(_ mpid: MPID) {
        self.forgotten[mpid] = nil
    }

    /// Returns true if an event or batch of a user is not to be sent.
    func isForgotten(_ mpid: MPID?, _ sequence: UInt64) -> Bool {
        guard let mpid, let reach = self.forgotten[mpid] else { return false }
        return sequence <= reach
    }

    /// Drops a batch in any state; a later answer for it changes nothing.
    ///
    /// While it is on the wire it may still arrive. Its installation sends nothing before that request has ended, so
    /// that it does not overtake itself.
    mutating func drop(_ id: UUID) {
        guard let batch = self.removeBatch(id) else { return }
        self.takeOut(id)
        let isOnWire = self.requests.contains { $0 == id }
        if isOnWire { self.abandoned[id] = batch.installation }
        guard let slot = self.lines.find(batch.installation) else { return }
        let wasFirst = self.lines[slot].batches.first == id
        self.lines[slot].batches.removeAll { $0 == id }
        if wasFirst { self.makeNextReady(slot) }
        self.changed(slot)
    }

    /// Frees the installations of dropped batches after their request has ended.
    mutating func endAbandoned(_ ids: [UUID]) {
        guard !self.abandoned.isEmpty else { return }
        for id in ids {
            guard let installation = self.abandoned.removeValue(forKey: id) else { continue }
            if let slot = self.lines.find(installation) { self.makeNextReady(slot) }
        }
    }

    /// Drops batches of erased users after a failed try, instead of trying them again.
    mutating func dropForgotten(_ ids: [UUID]) {
        guard !self.forgotten.isEmpty else { return }
        for id in ids {
            guard let batch = self.batches[id], self.isForgotten(batch.mpid, batch.first) else { continue }
            self.drop(id)
        }
    }
}

extension UploadStateMachine {
    /// Removes all events and batches of an installation.
    ///
    /// - Returns: The ids of its batches; a late answer for one changes nothing.
    mutating func remove(_ installation: UInt32) -> [UUID] {
        guard let slot = self.lines.find(installation) else { return [] }
        let batches = self.lines[slot].batches
        // Events first: a line without events and batches is gone.
        _ = self.takeOff(installation, upTo: .max)
        for id in batches { self.drop(id) }
        return batches
    }
    /// Removes events that are not to be sent and are in no batch.
    ///
    /// - Parameters:
    ///   - installation: The number of the installation.
    ///   - last: The last event to remove.
    /// - Returns: The numbers of the removed events.
    mutating func takeOff(_ installation: UInt32, upTo last: UInt64) -> [UInt64] {
        var taken: [UInt64] = []
        while let slot = self.lines.find(installation), let run = self.lines[slot].run {
            let sequences = run.events.prefix(run.events.count).prefix { $0 <= last }
            guard !sequences.isEmpty else { break }
            taken += sequences
            self.removeFirst(sequences.count, of: installation)
        }
        return taken
    }
}
