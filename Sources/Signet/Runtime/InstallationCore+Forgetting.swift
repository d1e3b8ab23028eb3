// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel

import struct FoundationEssentials.Date

extension InstallationCore {
    /// Forgets a user: from here on, nothing is logged for them; events belong to the next user.
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
            // First: after a kill between the two, the next start finds the context to forget by the user.
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

    /// Saves the facts of the open session that only the user's events contain, before they leave the journal.
    private func forgetInSession(_ mpid: MPID, _ own: inout State) throws(SignetError) {
        let isNamed = (own.sessions.totals ?? own.interrupted?.totals)?.mpids.contains(mpid) ?? false
        if !isNamed { guard try self.isNamedOnDisk(mpid) else { return } }
        var (sessions, interrupted) = (own.sessions, own.interrupted?.totals)
        sessions.forget(mpid)
        interrupted?.forget(mpid)
        try self.writeSession(sessions, interrupted, own)
        (own.sessions, own.interrupted) = (sessions, interrupted.map { LeftOpen($0) })
        own.recorded(sessions.lastMoment)
    }

    /// True if the session record on disk names the user, or cannot be read.
    ///
    /// It may hold a session that never began and that no other followed: an opted-out installation has none.
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
        let open = sessions.totals ?? interrupted
        let record = SessionRecord(
            folded: own.lastFrame,
            open: open,
            isBegun: open != nil,
            previous: sessions.previous
        )
        try self.services.store.put(record.encoded(), for: StateKey.session(self.id))
    }

    /// Saves the installation's state again after its record on disk was found damaged.
    ///
    /// - Returns: True if this is still the object of its installation.
    func writeDown() throws(SignetError) -> Bool {
        try self.state.withLock { own throws(SignetError) in
            guard own.phase != .retired else { return false }
            try self.services.store.put(own.identity.encoded(), for: StateKey.identity(self.id))
            try self.writeSession(own.sessions, own.interrupted?.totals, own)
            return true
        }
    }
}

extension User {
    /// A user without any data.
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
    /// The number of the newest event; the caller holds the lock that orders an installation's events.
    ///
    /// - Throws: `SignetError` from the disk: events in memory have no number yet, and must not come after this one.
    func lastSequence() throws(SignetError) -> UInt64 {
        do throws(StorageError) {
            try self.memory.drain()
        } catch {
            throw SignetError(error)
        }
        return self.journal.lastSequence
    }
}
