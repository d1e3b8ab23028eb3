// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

// Users: what the manager of the identity calls asks, and changes that need no platform.
extension InstallationCore {
    // MARK: - Identity calls

    /// Begins an identity call.
    func begin(_ call: IdentityCall, mayWait: Bool) -> IdentityStateMachine.BeginAction {
        do throws(SignetError) {
            return try self.transact { machine, transaction in
                machine.begin(call, mayWait: mayWait, &transaction)
            }
        } catch {
            return .finish(.failed(error))
        }
    }

    /// Sends a changed push token to the platform; no manager is made without one.
    func beginPushTokenCall() async {
        guard self.store.read({ $0.identity.needsPushTokenCall }) else { return }
        await self.identity.beginPushTokenCall()
    }

    /// Asks what a call sends.
    ///
    /// - Returns: Nil if another object has replaced this one.
    func send(
        _ ask: (inout IdentityStateMachine, Int64) -> IdentityStateMachine.SendAction
    ) -> IdentityStateMachine.SendAction? {
        let commit: InstallationCommit<IdentityStateMachine.SendAction>
        do throws(SignetError) {
            commit = try self.store.transact { machine, transaction throws(SignetError) in
                try machine.send(&transaction, ask)
            }
        } catch {
            return nil
        }
        self.follow(commit)
        // The slot has moved on, even if the disk refused the device identities.
        if let failure = commit.failure, case .finish(_, let next) = commit.value {
            return .finish(.failed(failure), next: next)
        }
        return commit.value
    }

    /// Takes an answer of the platform, and hands a new user to the services that follow before the call ends.
    ///
    /// - Returns: The end of the call; nil if it is not under way any more.
    /// - Throws: `closed` if another object has replaced this one.
    func take(
        _ answer: IdentityAnswer,
        of number: Int,
        fencedBy lease: SlotLease?
    ) async throws(SignetError) -> IdentityStateMachine.Finish? {
        if self.store.shared != nil, answer.changesState {
            return try await IdentityAnswerCommit(answer, of: number, fencedBy: lease).commit(to: self)
        }
        let (syncStates, consents) = (self.syncStates(), self.context.consents)
        let finish = try self.transact { machine, transaction throws(SignetError) in
            try IdentityAnswerTransition(answer, of: number, for: syncStates, in: consents)
                .write(&machine, &transaction)
        }
        // The outcome of the call is the platform's alone.
        if finish?.following != nil { await self.syncIdentity() }
        return finish
    }

    // MARK: - Changes that need no platform

    /// Changes attributes of the addressed user.
    nonisolated(nonsending) func changeAttributes<Value>(
        of mpid: MPID?,
        _ change: (inout AttributeEditor) throws(SignetError) -> Value
    ) async throws(SignetError) -> Value {
        let target = mpid ?? self.identityState.directory.current
        return try await self.commit { machine, transaction throws(SignetError) in
            try machine.changeAttributes(of: target, &transaction, change)
        }
    }

    /// Sets or removes the consent of the addressed user.
    nonisolated(nonsending) func setConsent(_ consent: ConsentState?, of mpid: MPID?) async throws(SignetError) {
        if let shared = self.store.shared { return try await self.setConsent(consent, of: mpid, in: shared) }
        let consents = self.context.consents
        try await self.commit { machine, transaction throws(SignetError) in
            try machine.setConsent(consent, of: mpid, in: consents, &transaction)
        }
    }

    /// Sets or removes the consent for all users.
    nonisolated(nonsending) func setInstallationConsent(_ consent: ConsentState?) async throws(SignetError) {
        if let shared = self.store.shared { try await self.renewConsents(unless: consent, in: shared) }
        let consents = self.context.consents
        try await self.commit { machine, transaction throws(SignetError) in
            try machine.setInstallationConsent(consent, in: consents, &transaction)
        }
    }

    /// Changes and saves the users, consent or devices.
    nonisolated(nonsending) func changeState(
        _ change: (inout IdentityStateMachine) throws(SignetError) -> Void
    ) async throws(SignetError) {
        try await self.commit { machine, transaction throws(SignetError) in
            try machine.changeState(&transaction, change)
        }
    }

    /// Opts out or in, and logs that.
    ///
    /// - Returns: The event that a later process would have to log.
    /// - Throws: The error of the disk; the opt-out stands if only its event was refused.
    nonisolated(nonsending) func setOptedOut(_ isOptedOut: Bool) async throws(SignetError) -> DueOptOut {
        let messageID = UUID.random()
        let commit = try await self.store.commit(fencedBy: nil, decides: true, confirms: true) {
            machine,
            transaction throws(SignetError) in
            try machine.setOptedOut(isOptedOut, named: messageID, &transaction)
        }
        self.follow(commit)
        if let failure = commit.failure ?? commit.lostEvent { throw failure }
        return commit.value
    }

    /// Removes the due record of an opt-out whose event survives a loss of power: no later process must log it.
    func settle(_ due: DueOptOut) throws(SignetError) {
        try self.transact { machine, transaction throws(SignetError) in
            // A newer opt-out or opt-in: its event is not safe yet.
            let number = machine.identity.state.number
            guard try transaction.records.isDue(due, number) else { return }
            transaction.write(.remove(StateKey.dueOptOut(number)))
        }
    }

    /// Saves an alias request and schedules its upload.
    ///
    /// - Returns: The request's id.
    nonisolated(nonsending) func add(_ request: AliasRequest) async throws(SignetError) -> UUID {
        do throws(SignetError) {
            return try self.addNow(request)
        } catch {
            guard self.store.shared != nil, error.mayFollowFromRow else { throw error }
            try await self.refresh()
            return try self.addNow(request)
        }
    }

    private func addNow(_ request: AliasRequest) throws(SignetError) -> UUID {
        try self.transact { machine, transaction throws(SignetError) in try machine.add(request, &transaction) }.id
    }
}
