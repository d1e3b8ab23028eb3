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
            guard self.memory.registration == nil else { return (.ended(.success(.done)), []) }
            let ticket = self.newTicket()
            self.registrationTickets.append(ticket)
            self.tryAgain()
            return (.waits(ticket), [])
        case .saveUser(let changes): return self.saveUser(changes, now)
        case .saveInstallation(let changes): return self.saveInstallation(changes, now)
        case .depersonalize: return self.depersonalize(now)
        case .send where self.memory.depersonalization.isRequested:
            // The service would attribute it to the outgoing person.
            return (.ended(.failure(.depersonalizationPending)), [])
        case .send where self.memory.doubt == .person:
            return (.ended(.failure(.identityUndetermined)), [])
        case .personalize, .fetchUser, .fetchInstallation, .depersonalizeOther, .setPrimary, .send:
            return self.enqueue(call, now)
        }
    }

    private mutating func enqueue(_ call: InfobipCall, _ now: Duration) -> (CallBeginning, [Action]) {
        if call == .fetchUser, self.memory.depersonalization.isRequested {
            return (.ended(.failure(.depersonalizationPending)), [])
        }
        guard self.memory.registration != nil || self.memory.token != nil else {
            return (.ended(.failure(.notRegistered)), [])
        }
        if let error = self.askedPause(now) { return (.ended(.failure(error)), []) }
        var waiting = Waiting(ticket: self.newTicket(), call: call, own: self.memory.installationChanges)
        guard case .personalize(let personalization) = call else {
            self.queue.append(waiting)
            return (.waits(waiting.ticket), [])
        }
        let before = self.memory
        waiting.old = self.memory.userChanges.restricted(to: personalization.changes)
        // A lead becomes the named person.
        if self.memory.user.type == .customer, let old = self.memory.user.externalUserID,
            let new = personalization.identity.externalUserID
        {
            waiting.isReplacement = !waiting.isForced && old != new
        }
        // If a depersonalize is pending, the person has left already.
        if waiting.isForced || waiting.isReplacement, !self.memory.depersonalization.isRequested { self.beginLeaving() }
        self.urgent.append(waiting)
        return (.waits(waiting.ticket), self.memory == before ? [] : [.save])
    }

    private mutating func saveUser(_ changes: InfobipUserChanges, _ now: Duration) -> (CallBeginning, [Action]) {
        guard !self.memory.depersonalization.isRequested else {
            return (.ended(.failure(.depersonalizationPending)), [])
        }
        // Nor during a forced personalize of another person: of two concurrent calls, either may be the first.
        guard self.memory.doubt != .person, !self.urgent.contains(where: \.isForced) else {
            return (.ended(.failure(.identityUndetermined)), [])
        }
        let before = self.memory
        self.memory.userChanges = self.memory.userChanges.then(changes)
        self.renew(changes)
        // A request in flight may change what is known: then it is decided afterwards.
        if self.underWay == nil { self.dropKnownUserChanges() }
        let actions: [Action] = self.memory == before ? [] : [.save]
        if self.memory.userChanges.isEmpty {
            // This takes back the changes that others wait for.
            return (.ended(.success(.done)), actions + self.end(self.userTickets, .success(.done)))
        }
        guard self.canSend(now) else { return (.ended(.success(.pending)), actions) }
        let ticket = self.newTicket()
        self.userTickets.append(ticket)
        return (.waits(ticket), actions)
    }

    private mutating func saveInstallation(
        _ changes: InfobipInstallationChanges,
        _ now: Duration
    ) -> (CallBeginning, [Action]) {
        let before = self.memory.installationChanges
        self.memory.installationChanges = before.then(changes)
        self.renew(changes)
        if self.underWay == nil { self.dropKnownInfobipChanges() }
        self.keepPrimary(changes.isPrimary)
        let actions: [Action] = self.memory.installationChanges == before ? [] : [.save]
        if self.memory.installationChanges.isEmpty {
            return (.ended(.success(.done)), actions + self.end(self.infobipTickets, .success(.done)))
        }
        // A pending depersonalize would take them back: they go after it.
        let isHeld = self.memory.depersonalization.isRequested && !changes.ofPerson.isEmpty
        guard self.canSend(now), !isHeld else { return (.ended(.success(.pending)), actions) }
        let ticket = self.newTicket()
        self.infobipTickets.append(ticket)
        return (.waits(ticket), actions)
    }

    private func canSend(_ now: Duration) -> Bool {
        (self.memory.registration != nil || self.memory.token != nil) && self.askedPause(now) == nil
    }

    /// Drops changes that the service has already.
    mutating func dropKnownUserChanges() {
        if !self.isUserKnown { self.memory.userChanges = self.memory.userChanges.without(self.confirmed) }
        if UserPatchBody(self.memory.userChanges, current: self.knownUser).isEmpty {
            self.memory.userChanges = InfobipUserChanges()
        }
    }

    /// Drops changes that the service has already.
    mutating func dropKnownInfobipChanges() {
        if InstallationPatchBody(self.memory.installationChanges, current: self.knownInfobip).isEmpty {
            self.memory.installationChanges = InfobipInstallationChanges()
        }
    }

    private mutating func depersonalize(_ now: Duration) -> (CallBeginning, [Action]) {
        var actions = self.depart()
        if let linked = self.memory.linked, linked.identity != nil {
            self.memory.linked = nil
            actions.append(.linked(linked.id, .superseded))
        }
        guard self.memory.registration != nil else {
            guard self.memory.token != nil else { return (.ended(.failure(.notRegistered)), actions + [.save]) }
            return (.ended(.success(.done)), [.save] + actions)
        }
        guard self.askedPause(now) == nil else {
            self.memory.depersonalization.status = .pending
            return (.ended(.success(.pending)), [.save] + actions)
        }
        let ticket = self.newTicket()
        self.depersonalizeTickets.append(ticket)
        return (.waits(ticket), [.save] + actions)
    }

    /// Makes the person the outgoing one; their saved changes are sent first.
    mutating func depart() -> [Action] {
        let wasRequested = self.memory.depersonalization.isRequested
        var actions: [Action] = []
        for ticket in self.userTickets { actions.append(.end(ticket, .success(.pending))) }
        self.userTickets = []
        for ticket in self.tickets(of: .fetchUser) { actions.append(.end(ticket, .failure(.depersonalizationPending))) }
        self.queue.removeAll { $0.call == .fetchUser }
        // The next person has not come, and has recorded data already.
        if wasRequested, self.memory.linked?.identity != nil { actions += self.dropSince() }
        if !wasRequested {
            self.beginLeaving()
            self.memory.departed = self.hasDoubted && self.memory.user.hasIdentity ? self.memory.user.identity : nil
        }
        let doubted = self.hasDoubted ? self.memory.doubted : nil
        if !wasRequested, let linked = self.memory.linked, let identity = linked.identity, self.hasFarewell {
            self.memory.introduction = identity
            // Changes that waited before it are older than its own values.
            self.memory.userChanges = self.memory.userChanges.without(linked.old)
        }
        if wasRequested {
            // They were for a person whom the service never took.
            actions += self.dropped(self.memory.userChanges)
        } else if self.memory.registration != nil, self.memory.recovery != .identity {
            self.memory.farewell = self.memory.farewell.then(self.memory.userChanges)
        } else {
            // The registration that replaces a lost one has no person yet.
            self.memory.introduction = nil
            actions += self.dropped(self.memory.userChanges) + self.dropLeft(.depersonalizationPending)
        }
        if self.memory.farewell.isEmpty { self.memory.unanswered = [] }
        self.forgetUser()
        self.memory.doubted = doubted
        guard self.memory.registration != nil else {
            // The next registration has no person.
            self.memory.depersonalization.isRequested = false
            return self.memory.token == nil ? actions : actions + [.tell(.depersonalized)]
        }
        self.memory.depersonalization.isRequested = true
        if !wasRequested { self.memory.depersonalization.failures = 0 }
        return actions
    }

    /// Forgets the person, and their data on the installation.
    mutating func forgetUser() {
        self.era += 1
        self.memory.user = InfobipUser()
        self.memory.userChanges = InfobipUserChanges()
        self.confirmed = InfobipUserChanges()
        self.isUserKnown = false
        self.unansweredNames = []
        self.memory.doubt = .none
        self.memory.doubted = nil
        self.memory.recovery = .none
        self.memory.profile.customAttributes = [:]
        self.memory.profile.isPrimary = false
        self.memory.installationChanges.customAttributes = [:]
        self.memory.installationChanges.isPrimary = nil
    }

    // MARK: - What is not answered

    /// Sets another push token, or none.
    mutating func setPushToken(_ token: InfobipPushToken?, isRestored: Bool) -> [Action] {
        var actions: [Action] = []
        let isAnother = token != self.memory.token
        if isRestored, isAnother, token != nil {
            // It is another device now: the state belongs to the device of the backup.
            let (events, followed) = (self.memory.events, self.memory.followed)
            actions = self.endAll(.failure(.notRegistered))
            self.memory = self.fresh
            self.memory.followed = followed
            self.memory.events = events.upperBound..<events.upperBound
            self.era += 1
            self.isUserKnown = false
            self.isInfobipKnown = false
            actions.append(.drop(Array(events)))
        }
        guard isAnother else { return [] }
        self.memory.token = token
        actions.append(.save)
        if let token { actions.append(.tell(.pushTokenReceived(Secret(token.token)))) }
        self.tryAgain()
        return actions
    }

    /// Ends a former registration.
    mutating func expire(_ id: String) -> [Action] {
        guard id != self.memory.registration?.id, !self.memory.former.contains(id) else { return [] }
        self.memory.former.append(id)
        return [.save]
    }

    /// Keeps an event until it is sent.
    mutating func queue(_ element: [UInt8], now: Duration) -> [Action] {
        let ordinal = self.memory.events.upperBound
        self.memory.events = self.memory.events.lowerBound..<(ordinal + 1)
        self.eventsDue = now + Self.quiet
        return [.store(StoredInfobipEvent(ordinal: ordinal, element: element)), .save]
    }

    /// Follows an opt-out: unsent events and sessions are dropped, and saved changes wait.
    mutating func optOut() -> [Action] {
        let events = self.memory.events
        self.memory.events = events.upperBound..<events.upperBound
        self.memory.sessions = InfobipSessions()
        return [.save, .drop(Array(events))] + self.endAll(.failure(.optedOut))
    }

    /// Forgets everything, and ends all callers.
    mutating func forget() -> [Action] {
        let actions = self.endAll(.failure(.cancelled))
        let events = self.memory.events
        self.memory = self.fresh
        self.memory.events = events.upperBound..<events.upperBound
        self.era += 1
        self.underWay = nil
        self.confirmed = InfobipUserChanges()
        self.isUserKnown = false
        self.isInfobipKnown = false
        self.clearPause()
        return [.save, .drop(Array(events))] + actions
    }

    /// Ends all callers; the kept changes stay pending.
    mutating func endAll(_ result: Result<InfobipSaveResult, SignetError>) -> [Action] {
        let saves = self.userTickets + self.infobipTickets + self.depersonalizeTickets
        let others = self.urgent.map(\.ticket) + self.queue.map(\.ticket) + self.registrationTickets
        self.userTickets = []
        self.infobipTickets = []
        self.depersonalizeTickets = []
        self.registrationTickets = []
        self.urgent = []
        self.queue = []
        return saves.map { .end($0, .success(.pending)) } + others.map { .end($0, result) }
    }
}
