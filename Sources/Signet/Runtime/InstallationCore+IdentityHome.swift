// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

extension InstallationCore: IdentityHome {
    var isRetired: Bool {
        self.phase == .retired
    }

    func commit(
        _ state: IdentityState,
        change: (previous: User?, current: User)?,
        firstUser: MPID?,
        updates: [UserUpdate]
    ) -> Bool {
        var lastOfNobody = UInt64.max
        var superseded: OutboxEntry?
        if change != nil { self.loadOutbox() }
        let committed = self.state.withLock { own -> (failure: SignetError?, DeferredEffects, [Resumption])? in
            guard own.phase != .retired else { return nil }
            let state = own.withoutCarriedRemovals(state)
            var failure: SignetError?
            do throws(SignetError) {
                if firstUser != nil { lastOfNobody = try self.services.lastSequence() }
            } catch {
                // Some events are in memory without a number: all events before the next user change are this user's.
            }
            do throws(SignetError) {
                try self.keepConsent(leaving: state, own)
                if let change { superseded = try self.addToOutbox(change.previous, change.current, &own) }
                try self.services.store.put(state.encoded(), for: StateKey.identity(self.id))
            } catch {
                failure = error
            }
            let previous = own.identity.directory.current
            own.identity = state
            do throws(SignetError) {
                try self.handOverBreadcrumbs(to: firstUser, after: previous, &own)
            } catch {
                failure = failure ?? error
            }
            self.noteUser(&own)
            // A closed installation takes answers, but no longer logs.
            let effects = own.phase == .open ? self.write(updates, &own) : DeferredEffects()
            guard let change else { return (failure, effects, []) }
            let message = UserChange(installation: self.id, previous: change.previous, current: change.current)
            return (failure, effects, self.services.userChanges.stage(message, of: self.id))
        }
        // Retired: the answer is lost. No user inherits by it the events that the next object holds for its first user.
        guard let (failure, effects, resumptions) = committed else { return false }
        if let failure { self.services.reportNotSaved(self.id, failure) }
        if let superseded {
            for service in superseded.services { self.publishSyncOutcome(superseded, service, .superseded) }
        }
        if let firstUser { self.services.ingress.attributed(state.number, to: firstUser, upTo: lastOfNobody) }
        self.publishUpdates(effects)
        for resumption in resumptions { resumption.resume() }
        return true
    }

    func save(_ state: IdentityState, updates: [UserUpdate]) throws(SignetError) {
        let effects = try self.state.withLock { own throws(SignetError) -> DeferredEffects in
            guard own.phase == .open else { throw .closed }
            let state = own.withoutCarriedRemovals(state)
            try self.services.store.put(state.encoded(), for: StateKey.identity(self.id))
            own.identity = state
            return self.write(updates, &own)
        }
        if !updates.isEmpty { self.publishUpdates(effects) }
    }
}
