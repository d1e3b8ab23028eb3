// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel

extension InstallationCore {
    func saveOptOut(_ state: IdentityState) throws(SignetError) -> SavedOptOut {
        // Events in memory, which the disk refused, must be in the journal to be dropped with the rest.
        do throws(StorageError) { try self.services.memory.drain() } catch { throw SignetError(error) }
        let (saved, effects) = try self.state.withLock { own throws(SignetError) -> (SavedOptOut, DeferredEffects) in
            guard own.phase == .open else { throw .closed }
            var state = own.withoutCarriedRemovals(state)
            let now = SessionTimestamp(self.services.time)
            // All earlier events of the installation have lower numbers; the event of this opt-out has a higher one.
            let last = self.services.journal.lastSequence
            let due = DueOptOut(
                isOptedOut: state.isOptedOut,
                milliseconds: now.milliseconds,
                messageID: own.messageIDs.next()
            )
            // Both are written first and take effect only with the state: after a kill before it, nothing has happened.
            try self.services.store.put(due.encoded(), for: StateKey.dueOptOut(state.number))
            // A repeated opt-out drops nothing: the event of the first one is among the waiting events.
            if state.isOptedOut, !own.identity.isOptedOut {
                state.optedOutAfter = last
                // A crash reported after an opt-in must not contain breadcrumbs from before.
                try self.removeBreadcrumbs(&own)
                try self.services.store.put([1], for: StateKey.optOut(state.number, upTo: last))
            }
            try self.services.store.put(state.encoded(), for: StateKey.identity(self.id))
            own.identity = state
            if state.isOptedOut { self.services.aliases.optedOut(self.id, upTo: last) }
            let updates = UserUpdate(optedOut: state.isOptedOut, of: state.directory.current)
            let effects = self.write([updates], &own, optOut: (now, due.messageID))
            return (SavedOptOut(state: state, due: due, failure: effects.failure), effects)
        }
        if saved.state.isOptedOut {
            self.services.ingress.optedOut(saved.state.number)
            self.services.aliases.wake()
        }
        self.publishUpdates(effects)
        return saved
    }

    /// Removes the due record of an opt-out whose event survives a loss of power: no later process must log it.
    func settle(_ due: DueOptOut) throws(SignetError) {
        try self.state.withLock { own throws(SignetError) in
            let key = StateKey.dueOptOut(own.identity.number)
            // A newer opt-out or opt-in: its event is not safe yet.
            guard try self.services.store.value(for: key) == due.encoded() else { return }
            try self.services.store.remove(key)
        }
    }
}

/// The result of an opt-out or opt-in.
struct SavedOptOut: Sendable {
    /// The installation's new state.
    let state: IdentityState
    /// The event that a later process would have to log.
    let due: DueOptOut
    /// The error of logging the event; nil if it was logged.
    let failure: SignetError?
}
