//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

extension InstallationCore {
    /// What is to be done once no lock is held.
    struct DeferredEffects {
        /// Why what was asked for was not done.
        var failure: SignetError?
        /// The number of the event in the journal.
        var logged: UInt64?
        /// Why the open session was not written down.
        var notSaved: SignetError?
        /// Subscribers who waited for updates.
        var resumptions: [Resumption] = []
        /// When the session manager is to look at the session; nil when it does already, or need not.
        var deadline: Duration?
        /// Whether the registry is to keep the object in memory from now on, or no longer.
        var isHoldingChanged = false
    }

    /// Tells those who wait.
    ///
    /// Call it holding no lock.
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
