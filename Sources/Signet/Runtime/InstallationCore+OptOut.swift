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

extension InstallationCore {
    func saveOptOut(_ state: IdentityState) throws(SignetError) -> SavedOptOut {
        // What waits in memory, because the disk did not take it, must be in the journal to be dropped with the rest.
        do throws(StorageError) { try self.services.memory.drain() } catch { throw SignetError(error) }
        let (saved, effects) = try self.state.withLock { own throws(SignetError) -> (SavedOptOut, DeferredEffects) in
            guard own.phase == .open else { throw .closed }
            var state = own.withoutCarriedRemovals(state)
            let now = SessionTimestamp(self.services.time)
            // All events of the installation so far have lower numbers, the event of this has a higher one.
            let last = self.services.journal.lastSequence
            let due = DueOptOut(
                isOptedOut: state.isOptedOut,
                milliseconds: now.milliseconds,
                after: last,
                messageID: own.messageIDs.next()
            )
            // Both are written first and say nothing until the state says the same: killed before, nothing has happened.
            try self.services.store.put(due.encoded(), for: StateKey.dueOptOut(state.number))
            // Said again it drops nothing: the event of the first time is among those that wait.
            if state.isOptedOut, !own.identity.isOptedOut {
                state.optedOutAfter = last
                // A crash that is reported after opting in tells nothing of before.
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
        self.tellNews(effects)
        return saved
    }

    /// The event of an opt-out survives a loss of power: no later process need log it.
    func settle(_ due: DueOptOut) throws(SignetError) {
        try self.state.withLock { own throws(SignetError) in
            let key = StateKey.dueOptOut(own.identity.number)
            // Said again meanwhile: that event is not safe yet.
            guard try self.services.store.value(for: key) == due.encoded() else { return }
            try self.services.store.remove(key)
        }
    }
}

/// What became of an opt-out.
struct SavedOptOut: Sendable {
    /// What the installation remembers from now on.
    let state: IdentityState
    /// What a later process would have to log.
    let due: DueOptOut
    /// Why the event was not logged; nil when it was.
    let failure: SignetError?
}
