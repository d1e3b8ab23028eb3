// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import SignetWire

extension InstallationCore {
    /// Begins a session, if there is none.
    func beginSession() throws(SignetError) {
        try self.conclude(
            self.advance { sessions, now, timeout in
                sessions.timeOut(at: now, timeout) + sessions.begin(at: now, newID: self.services.newSessionID)
            }
        )
    }

    /// Ends the session, if there is one.
    func endSession() throws(SignetError) {
        try self.conclude(self.advance { sessions, now, timeout in sessions.end(at: now, timeout) })
    }

    /// The summary of the session so far; nil without one.
    var sessionSummary: Session.Summary? {
        self.state.withLock { $0.sessions.totals?.summary }
    }

    /// Changes the attributes of the session.
    ///
    /// - Parameter change: Receives the attributes; if it throws, nothing changes.
    /// - Returns: The value that `change` returns.
    /// - Throws: Rethrows errors of `change`; `noSession`, `closed`, `optedOut`, or an error from the disk.
    func changeSessionAttributes<Value>(
        _ change: (inout [String: AttributeValue]) throws(SignetError) -> Value
    ) throws(SignetError) -> Value {
        try self.state.withLock { state throws(SignetError) in
            guard state.phase == .open else { throw .closed }
            guard !state.identity.isOptedOut else { throw .eventOptOut }
            // A session that is over may not have its end yet.
            guard var attributes = state.sessions.attributes, self.isAlive(state.sessions) else { throw .noSession }
            let value = try change(&attributes)
            var next = state.sessions
            next.attributes = attributes
            let record = SessionRecord(
                folded: state.lastFrame,
                open: next.totals,
                isBegun: true,
                previous: next.previous
            )
            try self.services.store.put(record.encoded(), for: StateKey.session(self.id))
            state.sessions = next
            state.recorded(next.lastMoment)
            return value
        }
    }

    private func isAlive(_ sessions: SessionStateMachine) -> Bool {
        sessions.goesOn(at: SessionTimestamp(self.services.time), self.services.sessionTimeout)
    }

    /// Adds the current user to the session, also without an event.
    ///
    /// A user who comes after its timeout is not added, except the first user, who inherits the earlier events.
    func noteUser(_ state: inout State) {
        let before = state.sessions.totals?.mpids
        guard before?.isEmpty == true || self.isAlive(state.sessions) else { return }
        state.sessions.use(state.identity.directory.current)
        guard state.sessions.totals?.mpids != before else { return }
        var effects = DeferredEffects()
        let writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
        self.saveRecord(&state, by: writer, &effects)
        // An error is ignored: the events of that user carry the same fact.
    }

    // MARK: - Before events leave the journal

    /// Saves the facts of the open session that only the journal contains.
    ///
    /// - Throws: `SignetError` from the disk; then nothing has changed.
    func fold() throws(SignetError) {
        try self.state.withLock { state throws(SignetError) in
            guard state.phase != .retired, state.needsFold else { return }
            var effects = DeferredEffects()
            let writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
            self.saveRecord(&state, by: writer, &effects)
            if let error = effects.notSaved { throw error }
        }
    }

    /// Does the same as `fold()`, but reports an error instead of throwing it.
    ///
    /// - Returns: True if the disk took it.
    @discardableResult
    func foldNow() -> Bool {
        do throws(SignetError) {
            try self.fold()
            return true
        } catch {
            self.services.reportNotSaved(self.id, error)
            return false
        }
    }
}
