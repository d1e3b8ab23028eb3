// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

// Sessions, the app's state, and events.
extension InstallationCore: SessionHolder {
    /// Moves the session.
    func advance(
        _ transition: SessionTransition = SessionTransition(),
        _ move: InstallationSession.Move
    ) throws(SignetError) {
        try self.transact { machine, transaction throws(SignetError) in
            try machine.advance(&transaction, transition, move)
        }
    }

    /// Begins a session, after the end of one that is over.
    nonisolated(nonsending) func beginSession() async throws(SignetError) {
        try await self.commit(decides: true) { machine, transaction throws(SignetError) in
            let newID = transaction.moment.newSessionID
            try machine.advance(&transaction) { sessions, now, timeout in
                sessions.timeOut(at: now, timeout) + sessions.begin(at: now, newID: newID)
            }
        }
    }

    /// Ends the session, if there is one.
    nonisolated(nonsending) func endSession() async throws(SignetError) {
        try await self.commit(decides: true) { machine, transaction throws(SignetError) in
            try machine.advance(&transaction) { sessions, now, timeout in sessions.end(at: now, timeout) }
        }
    }

    /// Ends a session that is over.
    ///
    /// - Parameter hasEnded: Set to true if an event was logged; then the caller wakes the queue of events.
    /// - Returns: The uptime of the next look; nil if no session can time out.
    func timeOutSession(_ hasEnded: inout Bool) -> Duration? {
        let commit: InstallationCommit<Bool>
        do throws(SignetError) {
            commit = try self.store.transact { machine, transaction in machine.timeOut(&transaction) }
        } catch {
            return nil
        }
        self.follow(commit, wakes: false)
        if commit.marks.contains(.hasEvents) { hasEnded = true }
        guard commit.value else { return nil }
        let timeout = self.context.sessionTimeout
        if let failure = commit.failure {
            // The session stays, and is checked again after another timeout.
            self.context.reportNotSaved(self.id, failure)
            return self.context.time.uptime + timeout
        }
        return self.store.update { machine in
            let deadline = machine.sessions.deadline(timeout)
            machine.session.setWatched(deadline != nil)
            return deadline
        }
    }

    /// The summary of the session so far; nil without one.
    var sessionSummary: Session.Summary? {
        self.store.read { $0.sessions.totals?.summary }
    }

    /// Changes the attributes of the session.
    ///
    /// - Parameter change: Receives the attributes; if it throws, nothing changes.
    /// - Returns: The value that `change` returns.
    /// - Throws: Rethrows errors of `change`; `noSession`, `closed`, `optedOut`, or an error from the disk.
    nonisolated(nonsending) func changeSessionAttributes<Value>(
        _ change: (inout [String: AttributeValue]) throws(SignetError) -> Value
    ) async throws(SignetError) -> Value {
        try await self.commit(decides: true) { machine, transaction throws(SignetError) in
            try machine.changeSessionAttributes(&transaction, change)
        }
    }

    // MARK: - The app

    /// The app goes to the background.
    func enterBackground() throws(SignetError) {
        defer {
            self.saveLaunch(isClosedInOrder: true)
            self.notifyForeground(false)
            // Many systems end background apps.
            self.context.ingress.hasten(self.number)
        }
        try self.advance { sessions, now, timeout in sessions.enterBackground(at: now, timeout) }
    }

    /// The app comes to the foreground.
    func enterForeground(_ referral: String?) throws(SignetError) {
        defer {
            self.saveLaunch(isClosedInOrder: false)
            // A closed or opted-out installation is not in use.
            self.notifyForeground(self.store.read { $0.phase == .open && !$0.isOptedOut })
        }
        let newID = self.context.configuration.newSessionID
        try self.advance(SessionTransition(referral: referral)) { sessions, now, timeout in
            sessions.enterForeground(at: now, timeout, newID: newID)
        }
    }

    private func notifyForeground(_ isInForeground: Bool) {
        for service in self.managers.linked.all {
            service.followForeground(of: self, isInForeground: isInForeground)
        }
    }

    /// The app's launches; nil if they are not counted.
    func launches() throws(SignetError) -> LaunchRecord? {
        guard self.context.sessionRules.reportsApplicationState else { return nil }
        return try InstallationRecords(id: self.id, context: self.context).launch()
    }

    /// Notes whether the app's launch has ended in order.
    func saveLaunch(isClosedInOrder: Bool) {
        guard self.context.sessionRules.reportsApplicationState else { return }
        self.transactOrReport { machine, transaction throws(SignetError) in
            guard machine.phase == .open, !machine.isOptedOut else { return }
            try transaction.saveLaunch(isClosedInOrder: isClosedInOrder)
        }
    }

    /// Sets the context that another open has given; it makes no installation durable.
    func setContext(ofOpen context: InstallationContext) throws(SignetError) {
        guard !self.store.update({ $0.hold(context) }) else { return }
        try self.context.ownContexts.whilePinned(context, self.setContext)
    }

    /// Sets the number of the installation's own context.
    func setContext(_ number: UInt32) throws(SignetError) {
        // Set at each request of a visitor, it is nearly always the same.
        guard !self.store.read({ $0.phase == .open && $0.own == number && !$0.isUnsaved }) else { return }
        try self.transact { machine, transaction throws(SignetError) in
            try machine.setContext(number, &transaction)
        }
    }

    // MARK: - Before events leave the journal

    /// Saves the facts of the open session that only the journal contains.
    ///
    /// - Throws: `SignetError` from the disk; then nothing has changed.
    func fold() throws(SignetError) {
        guard self.store.needsFold else { return }
        try self.transact { machine, transaction throws(SignetError) in
            guard !machine.phase.isRetired, machine.session.totals != nil else { return }
            transaction.saveSession(of: machine, isRequired: true)
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
            self.context.reportNotSaved(self.id, error)
            return false
        }
    }
}
