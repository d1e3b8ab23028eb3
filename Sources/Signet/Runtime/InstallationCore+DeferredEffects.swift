// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension InstallationCore {
    /// The work to do once no lock is held.
    struct DeferredEffects {
        /// The error that stopped the requested change.
        var failure: SignetError?
        /// The number of the event in the journal.
        var logged: UInt64?
        /// The error of saving the open session.
        var notSaved: SignetError?
        /// The subscribers that waited for updates.
        var resumptions: [Resumption] = []
        /// The time at which the session manager checks the session; nil if it already watches or need not.
        var deadline: Duration?
        /// True if the registry must start or stop keeping the object in memory.
        var isHoldingChanged = false
    }

    /// Resumes subscribers, reports errors, and wakes the ingress, the registry and the session manager.
    ///
    /// Call it without holding a lock.
    func tell(_ effects: DeferredEffects) {
        for resumption in effects.resumptions { resumption.resume() }
        if let error = effects.notSaved { self.services.reportNotSaved(self.id, error) }
        self.services.ingress.eventLogged()
        if effects.isHoldingChanged { self.registry.reconsider(self) }
        if let deadline = effects.deadline { self.services.sessions.watch(self, until: deadline) }
    }

    func conclude(_ effects: DeferredEffects) throws(SignetError) {
        self.tell(effects)
        if let failure = effects.failure { throw failure }
    }
}
