//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetLock
import SignetModel

import struct FoundationEssentials.Date

extension InstallationCore {
    /// Forgets a user: from here on, nothing is logged for them, and what is logged is for the user who comes next.
    func forget(_ mpid: MPID) throws(SignetError) -> IdentityState? {
        let outcome = try self.state.withLock { own throws(SignetError) -> (IdentityState, [Resumption])? in
            guard own.phase != .retired else { return nil }
            try self.removeTrail(of: mpid, &own)
            try self.services.store.forgetDeparted(of: own.identity.number) { $0.mpid == mpid }
            own.timedEvents.forget(mpid)
            try self.forgetInSession(mpid, &own)
            let wasCurrent = own.identity.directory.current == mpid
            var identity = own.identity
            let now = self.services.time.milliseconds
            guard identity.directory.mentioned.contains(mpid) else { return (identity, []) }
            // First: killed between the two, the next start finds by the user what is to be forgotten.
            if wasCurrent || identity.directory.current == nil { try self.forgetContext(&own) }
            _ = identity.forget(mpid, upTo: try self.services.lastSequence(), now: now)
            try self.services.store.put(identity.encoded(), for: StateKey.identity(self.id))
            own.identity = identity
            guard wasCurrent else { return (identity, []) }
            let updates = UserChange(installation: self.id, previous: .erased(mpid, now: now), current: nil)
            return (identity, self.services.userChanges.stage(updates, of: self.id))
        }
        guard let (identity, resumptions) = outcome else { return nil }
        for resumption in resumptions { resumption.resume() }
        return identity
    }

    /// The events of the user leave the journal: what only they tell of the open session is written down before.
    private func forgetInSession(_ mpid: MPID, _ own: inout State) throws(SignetError) {
        let isNamed = (own.sessions.tally ?? own.interrupted?.tally)?.mpids.contains(mpid) ?? false
        if !isNamed { guard try self.isNamedOnDisk(mpid) else { return } }
        var (sessions, interrupted) = (own.sessions, own.interrupted?.tally)
        sessions.forget(mpid)
        interrupted?.forget(mpid)
        try self.writeSession(sessions, interrupted, own)
        (own.sessions, own.interrupted) = (sessions, interrupted.map { LeftOpen($0) })
        own.recorded(sessions.lastMoment)
    }

    /// The record may tell of a session that never began, and that no other has followed, for who has opted out has none.
    private func isNamedOnDisk(_ mpid: MPID) throws(SignetError) -> Bool {
        do throws(SignetError) {
            guard let bytes = try self.services.store.value(for: StateKey.session(self.id)) else { return false }
            guard let record = SessionRecord(bytes) else { return true }
            return record.open?.mpids.contains(mpid) ?? false
        } catch {
            guard error.isDamage else { throw error }
            return true
        }
    }

    func writeSession(
        _ sessions: SessionStateMachine,
        _ interrupted: SessionTotals?,
        _ own: borrowing State
    ) throws(SignetError) {
        let open = sessions.tally ?? interrupted
        let record = SessionRecord(
            folded: own.lastFrame,
            open: open,
            isBegun: open != nil,
            previous: sessions.previous
        )
        try self.services.store.put(record.encoded(), for: StateKey.session(self.id))
    }

    /// Writes down again what the installation remembers: the record on disk was found damaged.
    ///
    /// - Returns: Whether it is still the object of its installation.
    func writeDown() throws(SignetError) -> Bool {
        try self.state.withLock { own throws(SignetError) in
            guard own.phase != .retired else { return false }
            try self.services.store.put(own.identity.encoded(), for: StateKey.identity(self.id))
            try self.writeSession(own.sessions, own.interrupted?.tally, own)
            return true
        }
    }
}

extension User {
    /// A user of whom nothing is known any more.
    fileprivate static func erased(_ mpid: MPID, now: Int64) -> User {
        User(
            mpid: mpid,
            identities: [:],
            attributes: [:],
            isLoggedIn: false,
            isEphemeral: false,
            firstSeen: Date(milliseconds: now),
            lastSeen: Date(milliseconds: now)
        )
    }
}

extension RuntimeServices {
    /// The newest event that was logged: for whoever holds the lock under which those of an installation are.
    ///
    /// - Throws: What the disk says: events in memory have no number yet, and must not come after this one.
    func lastSequence() throws(SignetError) -> UInt64 {
        do throws(StorageError) {
            try self.memory.drain()
        } catch {
            throw SignetError(error)
        }
        return self.journal.lastSequence
    }
}
