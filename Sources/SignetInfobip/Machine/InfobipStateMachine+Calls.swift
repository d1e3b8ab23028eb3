// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

extension InfobipStateMachine {
    /// The immediate result of a call.
    enum CallBeginning: Sendable {
        /// The call has ended.
        case ended(Result<InfobipSaveResult, SignetError>)
        /// The result is known when the ticket is answered.
        case waits(Int)
    }

    /// Begins a call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - now: Uptime.
    /// - Returns: The immediate result and the actions to take; a decision that cannot be persisted has not happened.
    mutating func begin(_ call: InfobipCall, now: Duration) -> (CallBeginning, [Action]) {
        switch call {
        case .awaitRegistration:
            guard self.memory.active == nil else { return (.ended(.success(.done)), []) }
            self.tryAgain()
            return (.waits(self.callers.add(.registration)), [])
        case .saveUser(let changes): return self.saveUser(changes, now)
        case .saveInstallation(let changes): return self.saveInstallation(changes, now)
        case .depersonalize: return self.depersonalize(now)
        case .fetchUser, .send:
            // The service would name the person of before, or attribute it to them.
            if self.memory.last.isComing { return (.ended(.failure(.depersonalizationPending)), []) }
        case .personalize, .fetchInstallation, .depersonalizeOther, .setPrimary: break
        }
        guard self.memory.canRegister else { return (.ended(.failure(.notRegistered)), []) }
        if let error = self.askedPause(now) { return (.ended(.failure(error)), []) }
        if case .personalize(let personalization) = call { return self.personalize(personalization) }
        return (.waits(self.callers.add(.call(call, self.memory.last.id))), [])
    }

    /// Lets a caller of kept data wait, if it can be sent now.
    private mutating func wait(
        for event: InfobipCallers.Event,
        _ now: Duration,
        if isNext: Bool = true
    ) -> CallBeginning {
        guard isNext, self.memory.canRegister, self.askedPause(now) == nil else { return .ended(.success(.pending)) }
        return .waits(self.callers.add(event))
    }

    // MARK: - Saves

    private mutating func saveUser(_ changes: InfobipUserChanges, _ now: Duration) -> (CallBeginning, [Action]) {
        var scope = self.memory.last
        let changed = changes.only(scope.changed(by: changes))
        scope.own.formUnion(changes.fields)
        if !changed.isEmpty { scope.edits.set(changed, number: self.memory.people.newNumber()) }
        let actions: [Action] = scope == self.memory.last ? [] : [.save]
        self.memory.last = scope
        if changed.isEmpty { return (.ended(.success(.done)), actions) }
        // Beside an unanswered personalize or a pending depersonalize, no caller waits.
        return (self.wait(for: .edits(scope.id), now, if: scope.barriers.isEmpty), actions)
    }

    private mutating func saveInstallation(
        _ changes: InfobipInstallationChanges,
        _ now: Duration
    ) -> (CallBeginning, [Action]) {
        let hidesPerson = !self.memory.people.isAttached
        let fields = self.memory.installation.changed(by: changes, hidesPerson: hidesPerson)
        guard !fields.isEmpty else { return (.ended(.success(.done)), []) }
        let edits = InfobipInstallationEdits(changes.only(fields), number: self.memory.people.newNumber())
        self.memory.installation.edits.add(edits)
        // What is the person's goes after whatever changes the person.
        let isOfPerson = !edits.fieldsOfPerson.isEmpty
        let isHeld = isOfPerson && !self.memory.last.barriers.isEmpty
        return (self.wait(for: .installation(ofPerson: isOfPerson), now, if: !isHeld), [.save])
    }

    // MARK: - Changes of the person

    private mutating func personalize(_ personalization: InfobipCall.Personalization) -> (CallBeginning, [Action]) {
        let number = self.memory.people.newNumber()
        let attach = PersonScope.Attach(number: number, personalization: personalization, origin: .app)
        let asked = personalization.identity.externalUserID
        let actions: [Action]
        if attach.isForced {
            actions = self.open(.attach(attach))
        } else if let asked, let known = self.memory.last.externalUserID,
            !ByteText.isSame(asked, known)
        {
            // After an unnoticed log-out from elsewhere, the service would merge the known person's data into another.
            return (.ended(.failure(.personalizationImpossible)), [])
        } else {
            actions = self.add(attach)
        }
        self.memory.synced = .overruled(self.memory.synced, by: personalization.identity.names)
        return (.waits(self.callers.add(.attach(number))), [.save] + actions)
    }

    /// Adds an unforced personalize to the barriers of the last scope.
    private mutating func add(_ attach: PersonScope.Attach) -> [Action] {
        if let earlier = self.memory.people.add(attach, besides: self.inFlight?.operation.attach) {
            self.callers.replace(.attach(earlier), by: .attach(attach.number))
        }
        return self.endOvertaken()
    }

    private mutating func depersonalize(_ now: Duration) -> (CallBeginning, [Action]) {
        let actions = [.save] + self.leave(.app)
        self.memory.synced = .overruled(self.memory.synced, by: nil)
        guard self.memory.canRegister else { return (.ended(.failure(.notRegistered)), actions) }
        guard let number = self.memory.last.barriers.first?.number else { return (.ended(.success(.done)), actions) }
        return (self.wait(for: .detach(number), now), actions)
    }

    /// Takes the person from the installation.
    private mutating func leave(_ origin: PersonScope.Origin) -> [Action] {
        if case .detach(_, let known) = self.memory.last.barriers.first, known.isNoLogin, origin.isNoLogin,
            self.memory.last.barriers.count == 1, self.memory.last.isSent
        {
            // The same again, and nothing came in between.
            return []
        }
        let isUnheard = self.memory.registration == .none && self.inFlight == nil
        let actions = self.open(.detach(self.memory.people.newNumber(), origin))
        guard isUnheard else { return actions }
        return actions + self.change { $0.enterUnheard() } + [.tell(.depersonalized)]
    }

    /// Opens a scope that a barrier leads to, and ends what others wait for in the one before.
    private mutating func open(_ barrier: PersonScope.Barrier) -> [Action] {
        var actions: [Action] = []
        // Another one goes instead of them.
        for old in self.memory.people.barriers where old.number != self.inFlight?.operation.attach?.number {
            actions += self.callers.end { $0.event == .attach(old.number) ? .failure(.superseded) : nil }
            actions += old.origin.linked(.superseded)
        }
        actions += self.change { $0.open(barrier) }
        // A change of the person does not wait for saves that have failed.
        self.tryAgain()
        return actions + self.endOvertaken()
    }

    /// Follows a change of the installation's user.
    ///
    /// - Parameter record: The outbox entry of the change.
    /// - Returns: The actions to take; none if the change was taken over already.
    mutating func follow(_ record: OutboxEntry) -> [Action] {
        guard record.id != self.memory.followed else { return [] }
        self.memory.followed = record.id
        self.memory.synced = SyncedUser(record.mpid, names: record.call.names)
        guard case .identify(let email, let customerID) = record.call else {
            let actions = [.save] + self.leave(.login(record.id))
            return self.memory.last.isComing ? actions : actions + [.linked(record.id, .done)]
        }
        let identity = InfobipIdentity(emails: email.map { [$0] } ?? [], externalUserID: customerID)
        if let error = SignetError(InfobipLimits.violations(of: identity)) {
            // A user without a valid identity is another person all the same.
            return [.save] + self.leave(.restore) + [.linked(record.id, .failed(error))]
        }
        let isAnother = self.memory.last.isComing || self.memory.last.isSomebodyElse(identity)
        let attach = PersonScope.Attach(
            number: self.memory.people.newNumber(),
            personalization: .init(
                identity: identity,
                attributes: nil,
                options: isAnother ? .forceDepersonalize : []
            ),
            origin: .login(record.id)
        )
        return [.save] + (isAnother ? self.open(.attach(attach)) : self.add(attach))
    }

    // MARK: - The device

    /// Sets another push token, or none.
    mutating func setPushToken(_ token: InfobipPushToken?, isRestored: Bool) -> [Action] {
        guard token != self.memory.token else { return [] }
        var actions: [Action] = []
        if isRestored, token != nil {
            // It is another device now: the state belongs to the device of the backup.
            let followed = self.memory.followed
            actions = self.endAll(.failure(.notRegistered)) + self.startAnew()
            self.memory.followed = followed
        }
        self.memory.token = token
        actions.append(.save)
        if let token { actions.append(.tell(.pushTokenReceived(Secret(token.token)))) }
        self.tryAgain()
        return actions
    }

    /// Ends a former registration.
    mutating func expire(_ id: String) -> [Action] {
        guard id != self.memory.active?.id, !self.memory.former.contains(id) else { return [] }
        self.memory.former.append(id)
        return [.save]
    }

    // MARK: - Events and use

    /// Keeps an event until it is sent.
    mutating func queue(_ element: [UInt8], now: Duration) -> [Action] {
        self.eventsDue = now + Self.quiet
        return [.store(self.memory.add(element)), .save]
    }

    /// Records that the app comes into use, or goes out of use.
    ///
    /// - Returns: The actions to take; the end of a session is persisted.
    mutating func use(_ isActive: Bool) -> [Action] {
        guard isActive else {
            self.use = .idle
            return [.save]
        }
        self.use = InfobipUse(after: self.memory.last.sessions)
        self.isReportDue = true
        // A user in front of the app is a reason to try again.
        self.tryAgain()
        return []
    }

    /// Counts further use.
    ///
    /// - Parameter milliseconds: The wall clock.
    /// - Returns: The actions to take; the start of a session is persisted, and its length in steps.
    mutating func count(milliseconds: Int64) -> [Action] {
        guard self.memory.active != nil else { return [] }
        return self.use.count(&self.memory.last.sessions, now: milliseconds) ? [.save] : []
    }

    // MARK: - Forgetting

    /// Follows an opt-out: unsent events and sessions are dropped, and saved changes wait.
    mutating func optOut() -> [Action] {
        let events = self.memory.events
        self.memory.people.forgetUse()
        return [.save, .drop(events)] + self.endBlocked(.optedOut) + self.endAll(.failure(.optedOut))
    }

    /// Forgets everything, and ends all callers.
    mutating func forget() -> [Action] {
        let actions = self.endAll(.failure(.cancelled))
        self.backOff.clear()
        return [.save] + self.startAnew() + actions
    }

    /// Forgets people who have left, when a user who is not current is erased: they may be the same person.
    mutating func forgetLeft() -> [Action] {
        let last = self.memory.last.id
        let events = self.memory.forgetLeft()
        let ends = self.callers.end { waiting in
            if case .call(.send, let id) = waiting.event, id != last { .failure(.cancelled) } else { nil }
        }
        return [.save] + (events.isEmpty ? [] : [.drop(events)]) + ends
    }
}
