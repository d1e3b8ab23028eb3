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
import SignetWire

// Events that the runtime logs by itself when something of a user has changed.
extension InstallationCore {
    /// Logs what changed of users, in order, after the state was saved; call it under the lock.
    ///
    /// They belong to the session that is open, and count for it, but begin none. What the disk does not take is in the
    /// aftermath: the change itself stands.
    func write(_ news: [UserNews], _ state: inout State, though isOptedOut: Bool = false) -> Aftermath {
        var aftermath = Aftermath()
        guard !news.isEmpty, isOptedOut || !state.identity.isOptedOut else { return aftermath }
        let now = SessionMoment(self.services.time)
        var writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
        if !state.identity.isOptedOut {
            let wasHeld = state.needsHolding
            var next = state.sessions
            let timeout = self.services.sessionTimeout
            let actions = next.activity(at: now, timeout, begins: false, newID: self.services.newSessionID)
            _ = self.write(actions, moving: &state, to: next, at: now, by: writer, &aftermath)
            aftermath.isHoldingChanged = wasHeld != state.needsHolding
        }
        for entry in news where aftermath.failure == nil {
            writer.mpid = entry.mpid
            let urgency: EventTag.Urgency = if case .optOut = entry.content { .prompt } else { .regular }
            do throws(SignetError) {
                let details = EventBody.details(of: Event(content: entry.content))
                aftermath.logged = try state.append(details, at: now, urgency: urgency, by: writer)
            } catch {
                aftermath.failure = error
            }
        }
        if aftermath.logged != nil, state.isRecordDue(at: now) { self.saveRecord(&state, by: writer, &aftermath) }
        return aftermath
    }

    /// Tells those who wait; an event that the disk did not take is counted and told as refused.
    ///
    /// Call it holding no lock.
    func tellNews(_ aftermath: Aftermath) {
        self.tell(aftermath)
        guard let failure = aftermath.failure else { return }
        self.services.statistics.eventRefused(failure.code)
        self.services.observer.eventRefused(installation: self.id, error: failure)
    }

    func saveOptOut(_ state: IdentityState) throws(SignetError) -> (state: IdentityState, failure: SignetError?) {
        // What waits in memory, because the disk did not take it, must be in the journal to be dropped with the rest.
        do throws(StorageError) { try self.services.memory.drain() } catch { throw SignetError(error) }
        let (saved, aftermath) = try self.state.withLock { own throws(SignetError) -> (IdentityState, Aftermath) in
            guard own.phase == .open else { throw .closed }
            var state = state
            // Said again it drops nothing: the event of the first time is among those that wait.
            if state.isOptedOut, !own.identity.isOptedOut {
                // All events of the installation so far have lower numbers, the event of this has a higher one.
                let last = self.services.journal.lastSequence
                state.optedOutAfter = last
                // Written first, it says nothing until the state says the same: killed between the two, nothing is dropped.
                var writer = ByteWriter(reservingCapacity: 8)
                writer.write(last)
                try self.services.store.put(writer.bytes, for: StateKey.optOut(state.number))
            }
            try self.services.store.put(state.encoded(), for: StateKey.identity(self.id))
            own.identity = state
            let news = UserNews(optedOut: state.isOptedOut, of: state.directory.current)
            return (state, self.write([news], &own, though: true))
        }
        if saved.isOptedOut { self.services.intake.optedOut(saved.number) }
        self.tellNews(aftermath)
        return (saved, aftermath.failure)
    }

    func withoutCarriedRemovals(_ state: IdentityState) -> IdentityState {
        self.state.withLock { $0.withoutCarriedRemovals(state) }
    }

    /// A batch with removals of attributes is written down: no other will tell of them.
    ///
    /// - Returns: Whether this object could take it; false when it has left memory.
    func removalsCarried(of mpid: MPID, upTo number: Int64) throws(SignetError) -> Bool {
        try self.state.withLock { own throws(SignetError) -> Bool in
            guard own.phase != .retired else { return false }
            // The manager still knows of them: what it saves goes through this.
            own.carriedRemovals[mpid] = number
            guard own.identity.directory.forgetRemovals(of: mpid, upTo: number) else { return true }
            try self.services.store.put(own.identity.encoded(), for: StateKey.identity(self.id))
            return true
        }
    }
}

extension InstallationCore.State {
    /// A state to be saved, without the removals that a batch tells of already.
    func withoutCarriedRemovals(_ state: IdentityState) -> IdentityState {
        guard !self.carriedRemovals.isEmpty else { return state }
        var state = state
        for (mpid, number) in self.carriedRemovals { state.directory.forgetRemovals(of: mpid, upTo: number) }
        return state
    }
}
