// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

// The answers to requests that change whom the installation belongs to.
extension InfobipStateMachine {
    // MARK: - Done

    /// The service has done a barrier.
    mutating func did(_ operation: Operation, _ answer: Answer) -> [Action] {
        switch (operation, answer) {
        case (.attach(let attach, let scope), .user(let user)): self.attached(attach, scope, user)
        case (.detach(let scope), _): self.detached(scope)
        case (.look(let scope), .user(let user)): self.looked(scope, user)
        default: []
        }
    }

    private mutating func attached(_ attach: PersonScope.Attach, _ id: PersonScope.ID, _ user: InfobipUser) -> [Action]
    {
        guard let index = self.memory.index(of: id) else { return [] }
        var scope = self.memory.scopes[index]
        let rest = Array(scope.barriers.dropFirst())
        let asked = attach.personalization.identity
        let answered = user.hasIdentity ? user.identity : asked
        var actions: [Action] = []
        // Whom the service names, if it has another person than the scope's: that one was logged out from elsewhere.
        let isAnother = !attach.isForced && !scope.claim.isSame(asAnswered: user)
        if isAnother {
            self.memory.scopes[index].barriers = []
            actions += self.parked(self.memory.scopes[index])
            scope = PersonScope(id: self.memory.newNumber())
        } else if attach.origin != .restore {
            scope.edits.remove(attach.personalization.changes.fields, olderThan: attach.number)
        }
        scope.barriers = rest
        if attach.origin != .restore || scope.claim != .anonymous { scope.claim = .named(answered) }
        let before = scope.snapshot?.value
        scope.snapshot = .exact(user)
        self.memory.scopes[index] = scope
        actions += self.enter(scope.id)
        // A restore says nothing new.
        if attach.origin != .restore {
            self.memory.strike(
                InfobipEdits(attach.personalization.changes, number: attach.number),
                of: answered,
                except: scope.id
            )
        }
        // A name that was asked for and is another person's in the answer names no person here.
        let isNamed = asked.externalUserID == nil || asked.externalUserID == answered.externalUserID
        for name in isNamed ? [asked, answered] : [answered] {
            if let parked = self.memory.parked.removeValue(forKey: name.key) {
                self.memory.scopes[0].take(parked)
                if !parked.events.isEmpty { self.eventsDue = .zero }
            }
        }
        if attach.isForced || isAnother { self.memory.installation.clearPerson() }
        if attach.isForced { actions.append(.tell(.depersonalized)) }
        if attach.origin == .restore { self.restored(before, user) }
        self.learn(user)
        actions.append(.tell(.personalized))
        if case .login(let login) = attach.origin { actions.append(.linked(login, .done)) }
        return actions + self.endVanished(.success(.done))
    }

    private mutating func detached(_ id: PersonScope.ID) -> [Action] {
        guard let index = self.memory.index(of: id) else { return [] }
        let barrier = self.memory.scopes[index].barriers.removeFirst()
        self.memory.scopes[index].claim = .anonymous
        self.memory.scopes[index].snapshot = nil
        self.memory.installation.clearPerson()
        var actions = self.enter(id) + [.tell(.depersonalized)]
        if case .login(let login) = barrier.origin { actions.append(.linked(login, .done)) }
        return actions + self.endVanished(.success(.done))
    }

    private mutating func looked(_ id: PersonScope.ID, _ user: InfobipUser) -> [Action] {
        guard let index = self.memory.index(of: id) else { return [] }
        let claim = self.memory.scopes[index].claim
        guard claim.isSame(asLooked: user) else { return self.abandon(id) }
        self.memory.scopes[index].barriers.removeFirst()
        let actions = self.enter(id)
        self.find(user)
        return actions
    }

    /// The service has the person of a scope: all earlier ones have left.
    private mutating func enter(_ id: PersonScope.ID) -> [Action] {
        var actions: [Action] = []
        while let first = self.memory.scopes.first, first.id != id {
            self.memory.scopes.removeFirst()
            actions += self.parked(first)
        }
        self.memory.attachment = .known(id)
        self.attempts = []
        return actions
    }

    /// Ends the callers whose barriers are done, or no longer needed.
    private mutating func endVanished(_ result: Result<InfobipSaveResult, SignetError>) -> [Action] {
        let numbers = Set(self.memory.scopes.flatMap { $0.barriers.map(\.number) })
        return self.end(
            self.tickets { if case .barrier(let number) = $0 { !numbers.contains(number) } else { false } },
            result
        )
    }

    /// Sends everything again if the service has lost more than a registration.
    ///
    /// If the service knows the person, its data wins, because another device may have changed it since. It knows them if
    /// it has anything but the identity that was sent.
    private mutating func restored(_ before: InfobipUser?, _ user: InfobipUser) {
        let own = self.memory.active?.id
        let others = user.installations.filter { $0.pushRegistrationID != own }
        // The flag counted among the installations without a person until this one had its person again.
        if self.memory.installation.known.value.isPrimary, self.memory.installation.changes.isPrimary == nil,
            !others.contains(where: \.isPrimary)
        {
            self.memory.installation.changes.isPrimary = true
        }
        guard let before, others.isEmpty,
            InfobipUser().applying(before.leadingIdentity.changes).lacking(user.asChanges).isEmpty
        else { return }
        self.memory.scopes[0].edits.add(InfobipEdits(user.lacking(before.asChanges), number: 0))
    }

    /// Takes over what an answer about the person says of this installation.
    mutating func learn(_ user: InfobipUser) {
        guard let own = user.installations.first(where: { $0.pushRegistrationID == self.memory.active?.id }) else {
            return
        }
        self.memory.installation.learn(own)
    }

    // MARK: - Not done

    /// There was no answer, or none from the service: the barrier may have been done, and is repeated.
    mutating func fail(
        _ operation: Operation,
        _ error: SignetError,
        _ mayHaveHappened: Bool,
        tickets: [Int]
    ) -> [Action] {
        if case .moving(let to, let from) = self.memory.attachment {
            if mayHaveHappened {
                self.memory.attachment = .moving(to: to, from: nil)
            } else if let from {
                self.memory.attachment = .known(from)
            }
        }
        guard case .attach(let attach, let id) = operation, let index = self.memory.index(of: id) else {
            return self.endBlocked(error)
        }
        guard id == self.memory.last.id else {
            // A later one goes in its place.
            return self.end(tickets, .failure(error)) + (attach.isForced ? self.abandon(id) : [])
        }
        let actions = self.endBlocked(error)
        if attach.isForced, tickets.isEmpty, error.code == .tokenUnavailable, self.memory.attachment != .known(id) {
            // At least the person of before leaves.
            self.memory.scopes[index].barriers.insert(.detach(self.memory.newNumber(), .restore), at: 0)
            self.tryAgain()
        }
        return actions
    }

    /// The service has refused a barrier.
    mutating func refuse(_ operation: Operation, _ error: SignetError, tickets: [Int]) -> [Action] {
        guard case .attach(let attach, let id) = operation, let index = self.memory.index(of: id),
            case .moving(_, let from) = self.memory.attachment
        else { return self.fail(operation, error, true, tickets: tickets) }
        var actions = self.end(tickets, .failure(error))
        if case .login(let login) = attach.origin {
            let impossible = InfobipRefusal.Reason.personalizationImpossible.rawValue
            if !attach.isForced, error.errors.first?.code == impossible {
                // The installation belongs to an unknown person, who must leave.
                var forced = attach
                forced.personalization.options.insert(.forceDepersonalize)
                self.memory.scopes[index].barriers[0] = .attach(forced)
                self.memory.attachment = from.map { .known($0) } ?? self.memory.attachment
                return actions
            }
            actions.append(.linked(login, .failed(error)))
        }
        let isLogin = !attach.origin.isNoLogin
        if attach.isForced {
            guard let from, from != id, !isLogin else { return actions + self.abandon(id) }
            // Nothing has changed.
            let scope = self.memory.scopes.remove(at: index)
            self.memory.attachment = .known(from)
            if id > self.memory.last.id { self.memory.installation.dropPersonChanges() }
            if from == self.memory.last.id { self.attempts = [] }
            return actions + self.parked(scope) + self.endVanished(.failure(error))
        }
        if attach.origin == .restore { return actions + self.abandon(id) }
        self.memory.scopes[index].barriers.removeFirst()
        if let from {
            self.memory.attachment = .known(from)
        } else if case .named = self.memory.scopes[index].claim {
            self.memory.scopes[index].barriers.insert(.look(self.memory.newNumber()), at: 0)
        } else {
            // An earlier attempt may have happened.
            self.memory.scopes[index].barriers.insert(.detach(self.memory.newNumber(), .restore), at: 0)
        }
        return from == nil ? actions + self.dropOlder(than: attach, in: index) : actions
    }

    /// Drops saves that are older than what a personalize may have said.
    private mutating func dropOlder(than attach: PersonScope.Attach, in index: Int) -> [Action] {
        let said = InfobipEdits(attach.personalization.changes, number: attach.number)
        let before = self.memory.scopes[index].edits.fields.count
        self.memory.scopes[index].edits.remove(olderThan: said)
        self.memory.strike(said, of: attach.personalization.identity, except: self.memory.scopes[index].id)
        let dropped = before - self.memory.scopes[index].edits.fields.count
        return dropped > 0 ? [.dropChanges(dropped)] : []
    }

    /// Gives up the person of a scope: their data is parked, and no person comes in their place.
    ///
    /// What the app has asked for since is still done.
    mutating func abandon(_ id: PersonScope.ID) -> [Action] {
        guard let index = self.memory.index(of: id) else { return [] }
        let scope = self.memory.scopes[index]
        var named = scope
        // The refused name counts, and not one that waits behind it.
        named.barriers = Array(scope.barriers.prefix(1))
        let actions = self.parked(named)
        var anonymous = PersonScope(id: self.memory.newNumber())
        anonymous.barriers = [.detach(self.memory.newNumber(), .restore)] + scope.barriers.dropFirst()
        self.memory.scopes[index] = anonymous
        switch self.memory.attachment {
        case .known(id): self.memory.attachment = .moving(to: anonymous.id, from: nil)
        case .moving(id, let from): self.memory.attachment = .moving(to: anonymous.id, from: from == id ? nil : from)
        case .known, .moving: break
        }
        if index == self.memory.scopes.count - 1 { self.memory.installation.dropPersonChanges() }
        return actions
    }

    // MARK: - Seen

    /// Takes over the person of the last scope, as a fetch has found them.
    private mutating func find(_ user: InfobipUser) {
        if case .named = self.memory.scopes[0].claim {
            self.memory.scopes[0].claim = user.hasIdentity ? .named(user.identity) : .anonymous
        } else if user.externalUserID != nil {
            self.memory.scopes[0].claim = .named(user.identity)
        }
        self.memory.scopes[0].snapshot = .exact(user)
        self.learn(user)
    }

    /// The service has named the person of a scope.
    mutating func fetched(_ id: PersonScope.ID, _ user: InfobipUser, tickets: [Int]) -> [Action] {
        guard let index = self.memory.index(of: id), self.memory.attachment == .known(id) else {
            return self.end(tickets, .failure(.depersonalizationPending))
        }
        let scope = self.memory.scopes[index]
        // It may be old for what waits.
        guard scope.barriers.isEmpty else { return self.end(tickets, .success(.done)) }
        guard scope.claim.isSame(asFound: user, changed: scope.edits.fields) else {
            // Logged out from elsewhere: the lead in their place may have what was written since.
            return self.abandon(id) + self.end(tickets, .success(.done))
        }
        guard id == self.memory.last.id else { return self.end(tickets, .failure(.depersonalizationPending)) }
        self.find(user)
        return self.end(tickets, .success(.done))
    }
}

extension PersonScope.Claim {
    /// True if the answer to an unforced attach is about this person.
    func isSame(asAnswered user: InfobipUser) -> Bool {
        guard case .named(let identity) = self, let id = identity.externalUserID else { return true }
        return user.externalUserID == id
    }

    /// True if a look has found this very person.
    func isSame(asLooked user: InfobipUser) -> Bool {
        guard case .named(let identity) = self, !identity.isEmpty else { return true }
        if let id = identity.externalUserID { return user.externalUserID == id }
        return identity.hasContact(of: user.identity)
    }

    /// True if the person that a fetch has found may be this one, perhaps with another name.
    ///
    /// - Parameters:
    ///   - user: The person.
    ///   - changed: The fields with waiting changes, which may have arrived.
    /// - Returns: False after a log-out from elsewhere.
    func isSame(asFound user: InfobipUser, changed: Set<InfobipField>) -> Bool {
        guard case .named(let identity) = self, !identity.isEmpty else { return true }
        if user.externalUserID != nil { return true }
        if identity.externalUserID != nil { return changed.contains(.externalUserID) }
        return identity.hasContact(of: user.identity) || changed.contains(.phones) || changed.contains(.emails)
    }
}
