// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension InstallationCore: SessionHolder {
    func timeOutSession() -> Duration? {
        var effects = DeferredEffects()
        let next = self.state.withLock { state -> Duration? in
            state.isWatched = false
            // A session ends only after the opt-out is over (Apple SDK: sessions neither begin nor end while opted out).
            guard state.phase != .retired, !state.identity.isOptedOut else { return nil }
            var next = state.sessions
            let now = SessionTimestamp(self.services.time)
            let timeout = self.services.sessionTimeout
            let actions = next.timeOut(at: now, timeout)
            let writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
            _ = self.write(actions, moving: &state, to: next, at: now, by: writer, &effects)
            // If the disk refuses the end, the session stays, and is checked again after another timeout.
            let deadline = effects.failure == nil ? state.sessions.deadline(timeout) : now.uptime + timeout
            state.isWatched = deadline != nil
            return deadline
        }
        for resumption in effects.resumptions { resumption.resume() }
        if let error = effects.failure ?? effects.notSaved { self.services.reportNotSaved(self.id, error) }
        self.services.ingress.eventLogged()
        return next
    }
}
