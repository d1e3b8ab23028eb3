// SPDX-License-Identifier: Apache-2.0

import SignetLock

import struct FoundationEssentials.UUID

// The slot in the shared store: one identity request at a time for one installation, across all replicas.
extension IdentityManager {
    /// The answer to a wish for the slot.
    enum SlotAnswer: Sendable {
        /// The request may be sent; also where no store is shared.
        case held
        /// Another replica sends one: ask again after this time.
        case again(Duration)
        /// The call ends.
        case refused(SignetError)
    }

    /// Begins a call of the app.
    ///
    /// Another replica may have changed a shared row since it was last read. So the row is read first for a call about the current user,
    /// and read again for one that seems to be answered without a request.
    func begin(
        _ call: IdentityCall,
        _ core: InstallationCore,
        mayWait: Bool
    ) async -> IdentityStateMachine.BeginAction {
        guard core.store.shared != nil else { return core.begin(call, mayWait: mayWait) }
        if !call.isAboutCurrentUser {
            let action = core.begin(call, mayWait: mayWait)
            guard case .finish(let outcome) = action else { return action }
            if case .failed(let error) = outcome, !error.mayFollowFromRow { return action }
        }
        do throws(SignetError) {
            try await core.refresh()
        } catch {
            return .finish(.failed(error))
        }
        return core.begin(call, mayWait: mayWait)
    }

    /// Takes or renews the slot, directly before a try, and takes over the row that comes with it.
    func takeSlot(of number: Int, _ core: InstallationCore) async -> SlotAnswer {
        guard let fleet = self.context.fleet, let store = core.store.shared else { return .held }
        do throws(SignetError) {
            // A handle that was opened while the store was away.
            if !store.hasRow { try await core.openShared() }
        } catch {
            return .refused(error)
        }
        var lease = self.leases[number] ?? SlotLease(requestTimeout: self.context.configuration.identity.requestTimeout)
        let isOwn = self.callers[number]?.whenBusy == nil
        let question = lease.ask(at: self.context.time.uptime) { SlotLease.token(isOwn: isOwn) }
        self.leases[number] = lease
        do throws(SharedStoreError) {
            let (span, key) = (lease.span, store.key)
            let answer: FleetMember.Answer<SharedSlotRequest.Outcome>
            switch question {
            case .nothing: return .refused(.superseded)
            case .take(let token):
                let wish = SharedSlotRequest(key: key, token: token, owner: fleet.replica)
                answer = try await fleet.ask(.commits, evidence: \.evidence) { shared throws(SharedStoreError) in
                    try await shared.takeSlot(wish, for: span)
                }
            case .renew(let token):
                let wish = SharedSlotRequest(key: key, token: token, owner: fleet.replica)
                answer = try await fleet.ask(.commits, evidence: \.evidence) { shared throws(SharedStoreError) in
                    try await shared.renewSlot(wish, for: span)
                }
            }
            let verdict = lease.take(answer.value)
            self.leases[number] = lease
            if let error = await self.adopt(answer, store) { return .refused(error) }
            return self.turn(after: verdict, answer.value, of: number, core, span)
        } catch {
            if error.isPassing { lease.notSent() }
            self.leases[number] = lease
            // Whoever has the slot now: nothing was sent to the platform.
            guard error.code != .outcomeUnknown else {
                return .refused(SignetError(SharedStoreError(.unreachable, error.message)))
            }
            return .refused(SignetError(error))
        }
    }

    private func adopt(
        _ answer: FleetMember.Answer<SharedSlotRequest.Outcome>,
        _ store: SharedInstallationStore
    ) async -> SignetError? {
        do throws(SignetError) {
            let row: SharedInstallation?
            switch answer.value {
            case .taken(let found), .held(let found): row = found
            case .isMissing:
                // Removed: its handles are closed.
                try await store.refresh()
                return nil
            }
            let reading = FleetMember.Answer(
                value: row,
                milliseconds: answer.milliseconds,
                sent: answer.sent,
                received: answer.received
            )
            if try !store.take(reading) { try await store.refresh() }
            return nil
        } catch {
            return error
        }
    }

    private func turn(
        after verdict: SlotLease.Verdict,
        _ outcome: SharedSlotRequest.Outcome,
        of number: Int,
        _ core: InstallationCore,
        _ span: Duration
    ) -> SlotAnswer {
        switch verdict {
        case .held: return .held
        case .isGone: return .refused(.closed)
        case .superseded, .ignore: return .refused(.superseded)
        case .busy: break
        }
        // Another replica has found the user meanwhile: the call needs no request.
        if core.store.read({ $0.identity.isAnswered(number) }) { return .held }
        let now = self.context.time.uptime
        let since = self.waitingSince[number] ?? now
        self.waitingSince[number] = since
        let limit: Duration
        switch self.callers[number]?.whenBusy {
        // A call that another replica makes by itself refuses none of the app: the app's call waits for it.
        case .refuse: limit = outcome.isHeldByOwnCall ? self.context.configuration.identity.requestTimeout : .zero
        case .wait(let most): limit = most
        // A call of Signet's own: until a holder that was killed has lost the slot.
        case nil: limit = span * 2
        }
        guard now - since < limit else { return .refused(.requestInProgress) }
        return .again(.milliseconds(50) + .milliseconds(450) * self.context.configuration.jitter())
    }

    /// Ends the wait of a withdrawn call, whose job then releases its slot in a shared store, if it has it.
    ///
    /// The next call of this installation asks for the slot after that: else it would be refused because of the withdrawn one.
    func vacate(_ number: Int) {
        if self.leases[number] != nil {
            let vacated = Promise<Void>()
            (self.predecessor, self.vacating[number]) = (vacated, vacated)
        }
        self.waits[number]?.resolve(())
    }

    /// Gives the slot up, if the call has it.
    func releaseSlot(of number: Int, _ core: InstallationCore) async {
        defer { self.vacating.removeValue(forKey: number)?.resolve(()) }
        self.waitingSince[number] = nil
        guard var lease = self.leases.removeValue(forKey: number), let token = lease.release(),
            let fleet = self.context.fleet, let store = core.store.shared
        else { return }
        await fleet.release(SharedSlotRequest(key: store.key, token: token, owner: fleet.replica))
    }

    /// Forgets the slot of a call whose commit has freed it.
    func forgetSlot(of number: Int) {
        self.leases[number] = nil
        self.waitingSince[number] = nil
    }
}

extension IdentityCall {
    /// True for a modify that names no user: it is of the user who is current at the call.
    fileprivate var isAboutCurrentUser: Bool {
        if case .modify(let request) = self { request.mpid == nil } else { false }
    }
}

extension SharedSlotRequest.Outcome {
    /// True if a call that a replica makes by itself has the slot.
    fileprivate var isHeldByOwnCall: Bool {
        if case .held(let row) = self, let slot = row.slot { SlotLease.isOfOwnCall(slot.token) } else { false }
    }
}

extension IdentityStateMachine {
    /// True if the call asks for a user where none is known, and one is known by now.
    func isAnswered(_ number: Int) -> Bool {
        guard let ticket = self.slot.ticket, ticket.number == number, case .startIfUnknown = ticket.call else {
            return false
        }
        return self.state.directory.current != nil
    }
}

extension SharedSlotRequest.Outcome {
    fileprivate var evidence: FleetMember.Evidence {
        if case .taken = self { .works } else { .reached }
    }
}
