//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel
import SignetWire

extension InstallationCore {
    /// The app begins a session, if there is none.
    func beginSession() throws(SignetError) {
        try self.conclude(
            self.advance { sessions, now, timeout in
                sessions.timeOut(at: now, timeout) + sessions.begin(at: now, newID: self.services.newSessionID)
            }
        )
    }

    /// The app ends its session, if there is one.
    func endSession() throws(SignetError) {
        try self.conclude(self.advance { sessions, now, timeout in sessions.end(at: now, timeout) })
    }

    /// What there was in the session so far; nil without one.
    var sessionSummary: SessionSummary? {
        self.state.withLock { $0.sessions.tally?.summary }
    }

    /// Changes what the app says of the session.
    ///
    /// - Parameter change: Gets the attributes; what it throws changes nothing.
    /// - Returns: What the change returns.
    /// - Throws: What the change throws, `noSession`, `closed`, `optOut`, and what the disk says.
    func changeSessionAttributes<Value>(
        _ change: (inout [String: AttributeValue]) throws(SignetError) -> Value
    ) throws(SignetError) -> Value {
        try self.state.withLock { state throws(SignetError) in
            guard state.phase == .open else { throw .closed }
            guard !state.identity.isOptedOut else { throw .eventOptOut }
            // One whose time is over has an end that is not found yet.
            guard var attributes = state.sessions.attributes, self.isAlive(state.sessions) else { throw .noSession }
            let value = try change(&attributes)
            var next = state.sessions
            next.attributes = attributes
            let record = SessionRecord(
                folded: state.lastFrame,
                open: next.tally,
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

    /// Who is current now belongs to the session, also without an event.
    ///
    /// Whoever comes when its time is over was not in it, but for the first user, who inherits what was logged before.
    func noteUser(_ state: inout State) {
        let before = state.sessions.tally?.mpids
        guard before?.isEmpty == true || self.isAlive(state.sessions) else { return }
        state.sessions.use(state.identity.directory.current)
        guard state.sessions.tally?.mpids != before else { return }
        var effects = DeferredEffects()
        let writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
        self.saveRecord(&state, by: writer, &effects)
        // The events of that user say it as well.
    }

    // MARK: - Before events leave the journal

    /// Writes down what only the journal tells of the open session.
    ///
    /// - Throws: What the disk says; then nothing has changed.
    func fold() throws(SignetError) {
        try self.state.withLock { state throws(SignetError) in
            guard state.phase != .retired, state.needsFold else { return }
            var effects = DeferredEffects()
            let writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
            self.saveRecord(&state, by: writer, &effects)
            if let error = effects.notSaved { throw error }
        }
    }

    /// The same where nothing depends on it.
    ///
    /// - Returns: Whether the disk took it.
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
