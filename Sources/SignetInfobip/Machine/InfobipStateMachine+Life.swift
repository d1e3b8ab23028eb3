// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

// What happens beside calls: logins, push tokens, events, use, opt-outs and erasures.
extension InfobipStateMachine {
    // MARK: - Logins

    /// Follows a change of the installation's user.
    ///
    /// - Parameter record: The outbox entry of the change.
    /// - Returns: The actions to take; none if the change was taken over already.
    mutating func follow(_ record: OutboxEntry) -> [Action] {
        guard record.id != self.memory.followed else { return [] }
        self.memory.followed = record.id
        guard case .identify(let email, let customerID) = record.call else { return self.logout(record.id) }
        let identity = InfobipIdentity(emails: email.map { [$0] } ?? [], externalUserID: customerID)
        if let error = SignetError(InfobipLimits.violations(of: identity)) {
            // A user without a valid identity is another person all the same.
            return [.save] + self.leave(.restore) + [.linked(record.id, .failed(error))]
        }
        var attach = PersonScope.Attach(
            number: self.memory.newNumber(),
            personalization: .init(identity: identity, attributes: nil, options: .init()),
            origin: .login(record.id)
        )
        guard self.memory.last.isComing || self.memory.last.isSomebodyElse(identity) else {
            self.add(attach)
            return [.save] + self.endHeld()
        }
        attach.personalization.options.insert(.forceDepersonalize)
        return [.save] + self.open(.attach(attach))
    }

    private mutating func logout(_ id: UUID) -> [Action] {
        let actions = [.save] + self.leave(.login(id))
        return self.memory.last.isComing ? actions : actions + [.linked(id, .done)]
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

    /// Begins anew; ordinals of events and numbers of calls are not used again.
    private mutating func startAnew() -> [Action] {
        let (before, events) = (self.memory, self.memory.events)
        self.memory = self.fresh
        self.memory.nextEvent = before.nextEvent
        self.memory.lastNumber = before.lastNumber + 1
        self.memory.scopes = [PersonScope(id: before.lastNumber + 1)]
        self.memory.attachment = .known(before.lastNumber + 1)
        self.attempts = []
        self.inFlight = nil
        return [.drop(events)]
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
        let ordinal = self.memory.nextEvent
        self.memory.nextEvent += 1
        self.memory.last.events.append(ordinal..<(ordinal + 1))
        self.eventsDue = now + Self.quiet
        return [.store(StoredInfobipEvent(ordinal: ordinal, element: element)), .save]
    }

    /// The most of a session that a dying process loses, in milliseconds; to persist each count would cost more.
    static let step: Int64 = 30_000

    /// Records that the app comes into use, or goes out of use.
    ///
    /// - Returns: The actions to take; the end of a session is persisted.
    mutating func use(_ isActive: Bool) -> [Action] {
        self.isActive = isActive
        guard isActive else { return [.save] }
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
        guard self.isActive, self.memory.active != nil else { return [] }
        let before = self.memory.last.sessions.all.last?.start
        self.memory.last.sessions.tick(now: milliseconds)
        guard let last = self.memory.last.sessions.all.last,
            last.start != before || last.end >= self.keptUntil + Self.step
        else { return [] }
        self.keptUntil = last.end
        return [.save]
    }

    // MARK: - Forgetting

    /// Follows an opt-out: unsent events and sessions are dropped, and saved changes wait.
    mutating func optOut() -> [Action] {
        let events = self.memory.events
        for index in self.memory.scopes.indices {
            self.memory.scopes[index].events = InfobipEventQueue()
            self.memory.scopes[index].sessions = InfobipSessions()
        }
        for key in Array(self.memory.parked.keys) {
            self.memory.parked[key]?.events = InfobipEventQueue()
            self.memory.parked[key]?.sessions = InfobipSessions()
        }
        self.memory.parked = self.memory.parked.filter { !$0.value.isSent }
        return [.save, .drop(events)] + self.endBlocked(.optedOut) + self.endAll(.failure(.optedOut))
    }

    /// Forgets everything, and ends all callers.
    mutating func forget() -> [Action] {
        let actions = self.endAll(.failure(.cancelled))
        self.clearPause()
        return [.save] + self.startAnew() + actions
    }

    /// Forgets people who have left, when a user who is not current is erased: they may be the same person.
    mutating func forgetLeft() -> [Action] {
        let left = self.memory.scopes.dropLast()
        let events = left.flatMap(\.events.all) + self.memory.parked.values.flatMap(\.events.all)
        for index in left.indices { self.memory.scopes[index].forget() }
        self.memory.parked = [:]
        let sends = left.flatMap { scope in
            self.tickets { if case .call(.send, scope.id) = $0 { true } else { false } }
        }
        return [.save] + (events.isEmpty ? [] : [.drop(events)]) + self.end(sends, .failure(.cancelled))
    }
}

extension PersonScope {
    /// True if an identity is not that of the person whom the app assumes, including one whom the service does not know
    /// yet.
    fileprivate func isSomebodyElse(_ identity: InfobipIdentity) -> Bool {
        let known = self.name ?? self.user.identity
        guard !known.isEmpty else {
            // Without personal data on disk, a restart knows only that there was a person.
            return self.claim != .anonymous
        }
        if let new = identity.externalUserID, let old = self.externalUserID ?? known.externalUserID {
            return new != old
        }
        return !known.hasContact(of: identity)
    }
}
