// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

// Events that the runtime logs itself when a user changes.
extension InstallationCore {
    /// Logs changes of users, in order, after the state was saved; call it under the lock.
    ///
    /// The events belong to the open session and count for it, but begin none. An error of the disk is in the effects; the
    /// change itself stands.
    ///
    /// - Parameters:
    ///   - updates: The changes.
    ///   - state: The state that the lock guards.
    ///   - named: The time and message id of an opt-out, which is then the only update; while opted out, only this is written.
    /// - Returns: The effects to run once the lock is free.
    func write(
        _ updates: [UserUpdate],
        _ state: inout State,
        optOut named: (now: SessionTimestamp, messageID: UUID)? = nil
    ) -> DeferredEffects {
        var effects = DeferredEffects()
        guard !updates.isEmpty, named != nil || !state.identity.isOptedOut else { return effects }
        let now = named?.now ?? SessionTimestamp(self.services.time)
        var writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
        if !state.identity.isOptedOut {
            let wasHeld = state.needsHolding
            var next = state.sessions
            let timeout = self.services.sessionTimeout
            let actions = next.activity(at: now, timeout, begins: false, newID: self.services.newSessionID)
            _ = self.write(actions, moving: &state, to: next, at: now, by: writer, &effects)
            effects.isHoldingChanged = wasHeld != state.needsHolding
        }
        for entry in updates where effects.failure == nil {
            writer.mpid = entry.mpid
            let urgency: EventMetadata.Urgency = named != nil ? .prompt : .regular
            do throws(SignetError) {
                let details = EventBody.details(of: Event(content: entry.content))
                effects.logged =
                    try state.append(details, at: now, named: named?.messageID, urgency: urgency, by: writer)
            } catch {
                effects.failure = error
            }
        }
        if effects.logged != nil, state.isRecordDue(at: now) { self.saveRecord(&state, by: writer, &effects) }
        return effects
    }

    /// Runs the effects; an event that the disk refused is counted and reported as refused.
    ///
    /// Call it without holding a lock.
    func publishUpdates(_ effects: DeferredEffects) {
        self.tell(effects)
        guard let failure = effects.failure else { return }
        self.services.statistics.eventRefused(failure.code)
        self.services.observer.eventRefused(installation: self.id, error: failure)
    }

    func withoutCarriedRemovals(_ state: IdentityState) -> IdentityState {
        self.state.withLock { $0.withoutCarriedRemovals(state) }
    }

    /// Forgets attribute removals that a saved batch carries: no other batch will carry them.
    ///
    /// - Returns: True if this object took it; false if it has left memory.
    func removalsCarried(of mpid: MPID, upTo number: Int64) throws(SignetError) -> Bool {
        try self.state.withLock { own throws(SignetError) -> Bool in
            guard own.phase != .retired else { return false }
            // The manager still has them; its saves pass through `withoutCarriedRemovals`.
            own.carriedRemovals[mpid] = number
            guard own.identity.directory.forgetRemovals(of: mpid, upTo: number) else { return true }
            try self.services.store.put(own.identity.encoded(), for: StateKey.identity(self.id))
            return true
        }
    }
}

extension InstallationCore.State {
    /// The state to save, without the removals that a batch already carries.
    func withoutCarriedRemovals(_ state: IdentityState) -> IdentityState {
        guard !self.carriedRemovals.isEmpty else { return state }
        var state = state
        for (mpid, number) in self.carriedRemovals { state.directory.forgetRemovals(of: mpid, upTo: number) }
        return state
    }
}
