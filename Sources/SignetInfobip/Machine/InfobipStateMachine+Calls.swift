// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

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
            return (.waits(self.wait(for: .registration)), [])
        case .saveUser(let changes): return self.saveUser(changes, now)
        case .saveInstallation(let changes): return self.saveInstallation(changes, now)
        case .depersonalize: return self.depersonalize(now)
        case .fetchUser, .send:
            // The service would name the person of before, or attribute it to them.
            if self.memory.last.isComing { return (.ended(.failure(.depersonalizationPending)), []) }
        case .personalize, .fetchInstallation, .depersonalizeOther, .setPrimary: break
        }
        guard self.memory.active != nil || self.memory.token != nil else {
            return (.ended(.failure(.notRegistered)), [])
        }
        if let error = self.askedPause(now) { return (.ended(.failure(error)), []) }
        if case .personalize(let personalization) = call { return self.personalize(personalization) }
        return (.waits(self.wait(for: .call(call, self.memory.last.id))), [])
    }

    private func canSend(_ now: Duration) -> Bool {
        (self.memory.active != nil || self.memory.token != nil) && self.askedPause(now) == nil
    }

    // MARK: - Saves

    private mutating func saveUser(_ changes: InfobipUserChanges, _ now: Duration) -> (CallBeginning, [Action]) {
        var scope = self.memory.last
        let changed = changes.only(scope.changed(by: changes))
        let before = scope
        scope.own.formUnion(changes.fields)
        if !changed.isEmpty { scope.edits.set(changed, number: self.memory.newNumber()) }
        self.memory.last = scope
        let actions: [Action] = scope == before ? [] : [.save]
        if changed.isEmpty { return (.ended(.success(.done)), actions) }
        // Beside an unanswered personalize or a pending depersonalize, no caller waits.
        guard self.canSend(now), scope.barriers.isEmpty else { return (.ended(.success(.pending)), actions) }
        return (.waits(self.wait(for: .edits(scope.id))), actions)
    }

    private mutating func saveInstallation(
        _ changes: InfobipInstallationChanges,
        _ now: Duration
    ) -> (CallBeginning, [Action]) {
        let before = self.memory.installation
        self.memory.installation.save(changes, hidesPerson: !self.memory.isAttached)
        let actions: [Action] = self.memory.installation == before ? [] : [.save]
        guard !self.memory.installation.changes.isEmpty else {
            return (.ended(.success(.done)), actions + self.end(self.tickets { $0 == .installation }, .success(.done)))
        }
        // What is the person's goes after whatever changes the person.
        let isHeld = !self.memory.last.barriers.isEmpty && !changes.ofPerson.isEmpty
        guard self.canSend(now), !isHeld else { return (.ended(.success(.pending)), actions) }
        return (.waits(self.wait(for: .installation)), actions)
    }

    // MARK: - Changes of the person

    private mutating func personalize(_ personalization: InfobipCall.Personalization) -> (CallBeginning, [Action]) {
        let number = self.memory.newNumber()
        let attach = PersonScope.Attach(number: number, personalization: personalization, origin: .app)
        if attach.isForced {
            let actions = self.open(.attach(attach))
            return (.waits(self.wait(for: .barrier(number))), [.save] + actions)
        }
        let asked = personalization.identity.externalUserID
        if let asked, let known = self.memory.last.externalUserID, asked != known {
            // After an unnoticed log-out from elsewhere, the service would merge the known person's data into another.
            return (.ended(.failure(.personalizationImpossible)), [])
        }
        self.add(attach)
        return (.waits(self.wait(for: .barrier(number))), [.save] + self.endHeld())
    }

    /// Adds an unforced personalize to the barriers of the last scope; the same one twice in a row is done once.
    mutating func add(_ attach: PersonScope.Attach) {
        var scope = self.memory.last
        scope.own.formUnion(attach.personalization.changes.fields)
        if let last = scope.barriers.last?.attach, self.inFlight?.operation != .attach(last, scope: scope.id),
            last.personalization == attach.personalization, last.origin == attach.origin
        {
            for index in self.waiting.indices where self.waiting[index].event == .barrier(last.number) {
                self.waiting[index] = Waiting(ticket: self.waiting[index].ticket, event: .barrier(attach.number))
            }
            scope.barriers.removeLast()
        }
        scope.barriers.append(.attach(attach))
        self.memory.last = scope
    }

    private mutating func depersonalize(_ now: Duration) -> (CallBeginning, [Action]) {
        let actions = [.save] + self.leave(.app)
        guard self.memory.active != nil || self.memory.token != nil else {
            return (.ended(.failure(.notRegistered)), actions)
        }
        guard let number = self.memory.last.barriers.first?.number else {
            return (.ended(.success(.done)), actions)
        }
        guard self.canSend(now) else { return (.ended(.success(.pending)), actions) }
        return (.waits(self.wait(for: .barrier(number))), actions)
    }

    /// Takes the person from the installation.
    mutating func leave(_ origin: PersonScope.Origin) -> [Action] {
        if case .detach(_, let known) = self.memory.last.barriers.first, known.isNoLogin, origin.isNoLogin,
            self.memory.last.barriers.count == 1, self.memory.last.isSent
        {
            // The same again, and nothing came in between.
            return []
        }
        let isNew = self.memory.registration == .none && self.inFlight == nil
        let actions = self.open(.detach(self.memory.newNumber(), origin))
        guard isNew else { return actions }
        // The service has never heard of the installation.
        let left = self.memory.scopes.dropLast().flatMap { self.parked($0) }
        self.memory.scopes.removeFirst(self.memory.scopes.count - 1)
        self.memory.last.barriers = []
        self.memory.attachment = .known(self.memory.last.id)
        return actions + left + [.tell(.depersonalized)]
    }

    /// Opens a scope that a barrier leads to, and ends what others wait for in the one before.
    mutating func open(_ barrier: PersonScope.Barrier) -> [Action] {
        var actions = self.end(self.tickets { if case .edits = $0 { true } else { false } }, .success(.pending))
        let fetches = self.tickets { if case .call(.fetchUser, _) = $0 { true } else { false } }
        actions += self.end(fetches.filter { !self.isInFlight($0) }, .failure(.depersonalizationPending))
        // Another one goes instead of them.
        for old in self.memory.scopes.flatMap(\.barriers) where !self.isInFlight(old) {
            if old.attach != nil {
                actions += self.end(self.tickets { $0 == .barrier(old.number) }, .failure(.superseded))
            }
            if case .login(let id) = old.origin { actions.append(.linked(id, .superseded)) }
        }
        actions += self.endHeld()
        self.memory.installation.dropPersonChanges()
        var scope = PersonScope(id: self.memory.newNumber(), barriers: [barrier])
        if let attach = barrier.attach { scope.own = attach.personalization.changes.fields }
        self.memory.scopes.append(scope)
        // A change of the person does not wait for saves that have failed.
        self.tryAgain()
        return actions + self.prune()
    }

    /// Parks or drops scopes that are never entered any more.
    ///
    /// Of these, one empty one stays: if the last scope is refused, the person of before must leave all the same.
    private mutating func prune() -> [Action] {
        var used: Set<PersonScope.ID> = [self.memory.last.id]
        switch self.memory.attachment {
        case .known(let id): used.insert(id)
        case .moving(let to, let from): used.formUnion([to] + (from.map { [$0] } ?? []))
        }
        var (kept, left): ([PersonScope], [PersonScope]) = ([], [])
        for scope in self.memory.scopes {
            guard !used.contains(scope.id) else {
                kept.append(scope)
                continue
            }
            left.append(scope)
            // Before all that may still be there, nothing is returned to.
            if kept.isEmpty { continue }
            if let before = kept.last, !used.contains(before.id) { kept.removeLast() }
            let number = scope.barriers.first?.number ?? scope.id
            kept.append(PersonScope(id: scope.id, barriers: [.detach(number, .restore)]))
        }
        self.memory.scopes = kept
        return left.flatMap { self.parked($0) }
    }

    func isInFlight(_ ticket: Int) -> Bool { self.inFlight?.tickets.contains(ticket) ?? false }

    private func isInFlight(_ barrier: PersonScope.Barrier) -> Bool {
        if case .attach(let attach, _) = self.inFlight?.operation { attach.number == barrier.number } else { false }
    }

    /// Parks what is left of a person, or drops it, and ends the callers who wait for it.
    mutating func parked(_ scope: PersonScope) -> [Action] {
        self.dropped(self.memory.park(scope)) + self.end(self.tickets { $0 == .edits(scope.id) }, .success(.pending))
            + self.end(
                self.tickets { if case .call(.send, scope.id) = $0 { true } else { false } },
                .failure(.personGone)
            )
    }

    /// Ends the callers whose changes of the installation are the person's, too: they wait behind a barrier now.
    mutating func endHeld() -> [Action] {
        guard !self.memory.installation.changes.ofPerson.isEmpty else { return [] }
        return self.end(self.tickets { $0 == .installation }, .success(.pending))
    }

    /// Reports what is given up.
    func dropped(_ scopes: [PersonScope]) -> [Action] {
        let changes = scopes.reduce(0) { $0 + $1.edits.fields.count }
        let events = scopes.flatMap(\.events.all)
        return (changes == 0 ? [] : [.dropChanges(changes)]) + (events.isEmpty ? [] : [.drop(events)])
    }
}

extension PersonScope {
    /// The fields of changes that differ from what the service has, or may have.
    fileprivate func changed(by changes: InfobipUserChanges) -> Set<InfobipField> {
        guard let snapshot = self.snapshot?.certain, self.barriers.isEmpty else { return changes.fields }
        return changes.fields.filter { field in
            self.edits.numbers[field] != nil || !UserPatchBody(changes.only([field]), current: snapshot).isEmpty
        }
    }
}
