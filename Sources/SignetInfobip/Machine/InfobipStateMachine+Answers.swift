// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

extension InfobipStateMachine {
    /// Handles the end of an operation.
    ///
    /// - Parameters:
    ///   - number: The number of the operation; one that is no longer in flight has no effect.
    ///   - answer: The outcome.
    ///   - now: Uptime.
    ///   - milliseconds: The wall clock.
    ///   - jitter: A value from 0 to 1, for the jitter of pauses.
    /// - Returns: The actions to take.
    mutating func finish(
        _ number: Int,
        _ answer: Answer,
        now: Duration,
        milliseconds: Int64,
        jitter: Double
    ) -> [Action] {
        guard let ended = self.inFlight, ended.number == number else { return [] }
        let before = self.memory
        self.inFlight = nil
        var actions: [Action]
        switch answer {
        case .lost(let error):
            actions = [.tell(.failed(error))] + self.lose(error, now: now, jitter: jitter)
        case .failed(let error, let mayHaveHappened):
            self.pause(after: error, now: now, jitter: jitter)
            actions = [.tell(.failed(error))] + self.failed(ended, error, mayHaveHappened)
            // What was not sent for the person of before holds up no other.
            if self.memory.last.isComing, !mayHaveHappened, case .saveUser = ended.operation { self.tryAgain() }
        case .refused(let error, let rollsBackIdentity):
            if !ended.operation.isRepeatedWhenRefused { self.clearPause() }
            if ended.operation.isRepeatedWhenRefused { self.pause(after: error, now: now, jitter: jitter) }
            actions = [.tell(.failed(error))] + self.refused(ended, error, rollsBackIdentity)
        case .done, .user, .installation:
            // Pauses grow as long as registrations are lost again.
            let failures = self.failures
            self.clearPause()
            if self.losses > 1, let lostAt, now - lostAt <= .seconds(60) { self.failures = failures }
            actions = self.succeeded(ended, answer, milliseconds: milliseconds)
        }
        actions += self.endSettledSaves(answer) + self.endLeft()
        if let error = self.askedPause(now) { actions += self.endServed(error) }
        if self.memory != before { actions.insert(.save, at: 0) }
        return actions
    }

    /// Ends the callers of saves with nothing left to send: the same changes were in flight already.
    private mutating func endSettledSaves(_ answer: Answer) -> [Action] {
        var result = Result<InfobipSaveResult, SignetError>.success(.done)
        if case .refused(let error, _) = answer { result = .failure(error) }
        let last = self.memory.last
        return (last.edits.isEmpty ? self.end(self.tickets { $0 == .edits(last.id) }, result) : [])
            + (self.memory.installation.changes.isEmpty
                ? self.end(self.tickets { $0 == .installation }, result) : [])
    }

    /// Ends the callers who wait for the person of before.
    private mutating func endLeft() -> [Action] {
        let last = self.memory.last.id
        let saves = self.tickets { if case .edits(let id) = $0 { id != last } else { false } }
        let fetches = self.tickets { if case .call(.fetchUser, let id) = $0 { id != last } else { false } }
        return self.end(saves, .success(.pending)) + self.end(fetches, .failure(.depersonalizationPending))
    }

    // MARK: - Done

    private mutating func succeeded(_ ended: InFlight, _ answer: Answer, milliseconds: Int64) -> [Action] {
        switch (ended.operation, answer) {
        case (.register(_, let token), .installation(let installation)):
            return self.registered(token, installation, milliseconds)
        case (.expire(let id), _):
            self.memory.former.removeAll { $0 == id }
        case (.saveInstallation(let changes, let token, let system, let scope), _):
            return self.savedInstallation(changes, token, system, scope) + self.end(ended.tickets, .success(.done))
        case (.saveUser(let edits, let scope, _), _):
            return self.savedUser(edits, scope) + self.end(ended.tickets, .success(.done))
        case (.attach, _), (.detach, _), (.look, _):
            return self.did(ended.operation, answer)
        case (.fetchUser(let scope), .user(let user)):
            return self.fetched(scope, user, tickets: ended.tickets)
        case (.fetchInstallation, .installation(let installation)):
            // An answer about another installation says nothing of this one.
            if installation.pushRegistrationID == self.memory.active?.id {
                self.memory.installation.known = .exact(installation)
            }
        case (.depersonalizeOther(let id, let scope), _):
            if let index = self.memory.index(of: scope) {
                self.memory.scopes[index].snapshot?.value.installations.removeAll { $0.pushRegistrationID == id }
            }
        case (.setPrimary(let id, let isPrimary, let scope), _):
            self.setPrimary(id, isPrimary, scope)
            if isPrimary { self.memory.installation.known.value.isPrimary = false }
        case (.sendEvents(let ordinals, let scope), _):
            return self.sent(ordinals, scope)
        case (.reportSessions(let report, let scope), _):
            self.reported(report, scope)
        default:
            break
        }
        return self.end(ended.tickets, .success(.done))
    }

    private mutating func registered(
        _ token: InfobipPushToken,
        _ installation: InfobipInstallation,
        _ milliseconds: Int64
    ) -> [Action] {
        guard let id = installation.pushRegistrationID else { return [] }
        self.memory.registration = .active(
            .init(id: id, token: token, systemHash: self.systemHash.fresh, at: milliseconds)
        )
        self.memory.former.removeAll { $0 == id }
        self.memory.installation.register(installation, isAttached: self.memory.isAttached)
        return [.tell(.registrationUpdated(id)), .tell(.installationSynced(self.profile))]
            + self.end(self.tickets { $0 == .registration }, .success(.done))
    }

    private mutating func savedInstallation(
        _ changes: InfobipInstallationChanges,
        _ token: InfobipPushToken?,
        _ system: String?,
        _ scope: PersonScope.ID
    ) -> [Action] {
        self.memory.installation.known.value = self.memory.installation.known.value.applying(changes)
        self.took(changes, scope)
        self.reported(token, system)
        if let isPrimary = changes.isPrimary, let id = self.memory.active?.id { self.setPrimary(id, isPrimary, scope) }
        return [.tell(.installationSynced(self.profile))]
    }

    /// Removes changes that need not be sent any more; those requested anew for another person stay.
    private mutating func took(_ changes: InfobipInstallationChanges, _ scope: PersonScope.ID) {
        let done = scope == self.memory.last.id ? changes : changes.without(changes.ofPerson)
        self.memory.installation.changes = self.memory.installation.changes.without(done)
    }

    /// Records the push token and the system data that the service has.
    private mutating func reported(_ token: InfobipPushToken?, _ system: String?) {
        guard case .active(var active) = self.memory.registration else { return }
        active.token = token ?? active.token
        active.systemHash = system ?? active.systemHash
        self.memory.registration = .active(active)
    }

    private mutating func setPrimary(_ id: String, _ isPrimary: Bool, _ scope: PersonScope.ID) {
        guard let index = self.memory.index(of: scope) else { return }
        self.memory.scopes[index].snapshot?.value.setPrimary(id, isPrimary)
    }

    private mutating func savedUser(_ edits: InfobipEdits, _ id: PersonScope.ID) -> [Action] {
        guard let index = self.memory.index(of: id) else { return [] }
        var scope = self.memory.scopes[index]
        scope.edits.remove(sent: edits)
        var known = scope.snapshot ?? .exact(InfobipUser())
        known.value = known.value.applying(edits.changes)
        scope.snapshot = known
        if case .named(let identity) = scope.claim {
            let renamed = InfobipUser().applying(identity.changes)
                .applying(edits.changes.only([.externalUserID, .phones, .emails]))
            scope.claim = .named(renamed.identity)
        }
        self.memory.scopes[index] = scope
        self.memory.strike(edits, of: scope.name, except: id)
        return id == self.memory.last.id ? [.tell(.userSynced(self.user))] : []
    }

    /// Removes events that need not be kept any more.
    private mutating func sent(_ ordinals: [UInt64], _ scope: PersonScope.ID) -> [Action] {
        guard let index = self.memory.index(of: scope) else { return [] }
        self.memory.scopes[index].events.remove(ordinals)
        return [.remove(ordinals)]
    }

    private mutating func reported(_ report: InfobipSessions.Report, _ scope: PersonScope.ID) {
        guard let index = self.memory.index(of: scope) else { return }
        self.memory.scopes[index].sessions.reported(report)
        if scope == self.memory.last.id { self.isReportDue = false }
    }

    // MARK: - The registration is gone

    /// The service has lost the registration.
    ///
    /// No barrier ends by that.
    private mutating func lose(_ error: SignetError, now: Duration, jitter: Double) -> [Action] {
        // One that works for other requests may be lost for this one, again and again.
        if let lostAt, now - lostAt > .seconds(60) { self.losses = 0 }
        self.lostAt = now
        self.losses += 1
        self.memory.registration = .lost
        self.attempts = []
        var last = self.memory.last
        let known = last.snapshot?.value.leadingIdentity
        var identity = known.map { $0.isEmpty ? nil : $0 } ?? nil
        if case .named(let claimed) = last.claim { identity = claimed.isEmpty ? nil : claimed.leading }
        if case .look = last.barriers.first { last.barriers.removeFirst() }
        if last.isComing {
            self.memory.attachment = .moving(to: last.id, from: nil)
        } else if let identity {
            if last.barriers.first?.origin != .restore {
                last.barriers.insert(
                    .attach(.restoring(identity, last.snapshot?.value, self.memory.newNumber())),
                    at: 0
                )
            }
            self.memory.attachment = .moving(to: last.id, from: nil)
        } else {
            // A scope without a name is known at once.
            if let snapshot = last.snapshot?.value { last.edits.add(InfobipEdits(snapshot.asChanges, number: 0)) }
            last.snapshot = nil
            self.memory.attachment = .known(last.id)
        }
        self.memory.last = last
        let held = self.endHeld()
        if self.memory.token == nil { return held + self.endAll(.failure(.notRegistered)) }
        // Retries once: a new registration that is lost again at once is no cure.
        guard self.losses > 1 else { return held }
        self.pause(after: error, now: now, jitter: jitter)
        return held + self.endServed(error)
    }

    // MARK: - Not done

    private mutating func failed(_ ended: InFlight, _ error: SignetError, _ mayHaveHappened: Bool) -> [Action] {
        switch ended.operation {
        case .register:
            // Callers without access get the error; callers without a network wait for one.
            let isWaiting = error.code != .unauthorized && error.code != .rejected
            return self.endServed(error)
                + (isWaiting ? [] : self.end(self.tickets { $0 == .registration }, .failure(error)))
        case .attach, .detach, .look:
            return self.fail(ended.operation, error, mayHaveHappened, tickets: ended.tickets)
        case .saveUser, .saveInstallation:
            return self.endUnsaved(ended.tickets, error)
        case .setPrimary where mayHaveHappened:
            self.memory.installation.known.doubt()
        default: break
        }
        return self.end(ended.tickets, .failure(error))
    }

    private mutating func refused(_ ended: InFlight, _ error: SignetError, _ rollsBackIdentity: Bool) -> [Action] {
        switch ended.operation {
        case .register, .detach, .look:
            return self.failed(ended, error, true)
        case .attach:
            return self.refuse(ended.operation, error, tickets: ended.tickets)
        case .saveUser(let edits, let scope, _):
            // The service took nothing of it. The part that can never succeed is dropped, and the rest is sent again.
            guard let index = self.memory.index(of: scope) else { break }
            let fields = edits.changes.refused(error, rollsBackIdentity: rollsBackIdentity).fields
            self.memory.scopes[index].edits.remove(
                sent: InfobipEdits(edits.changes.only(fields), numbers: edits.numbers)
            )
            self.memory.scopes[index].snapshot = .doubtful(self.memory.scopes[index].snapshot?.value ?? InfobipUser())
        case .saveInstallation(let changes, let token, let system, let scope):
            self.took(changes, scope)
            self.memory.installation.known.doubt()
            // The changes may be what was refused: token and system data are sent again, alone.
            if changes.isEmpty { self.reported(token, system) }
        case .expire(let id):
            self.memory.former.removeAll { $0 == id }
        case .sendEvents(let ordinals, let scope):
            return self.sent(ordinals, scope)
        case .reportSessions(let report, let scope):
            self.reported(report, scope)
        case .fetchUser, .fetchInstallation, .depersonalizeOther, .setPrimary, .sendEvent:
            break
        }
        return self.end(ended.tickets, .failure(error))
    }

    // MARK: - Callers

    /// Ends all callers, except those who wait for a registration.
    mutating func endServed(_ error: SignetError) -> [Action] {
        self.endBlocked(error) + self.endUnsaved(self.tickets { $0 == .installation }, error)
            + self.end(self.tickets { if case .call = $0 { true } else { false } }, .failure(error))
    }

    /// Ends the callers who wait for a change of the person, or behind it.
    mutating func endBlocked(_ error: SignetError) -> [Action] {
        let attaches = Set(self.memory.scopes.flatMap(\.barriers).filter { $0.attach != nil }.map(\.number))
        let isForced =
            self.memory.last.barriers.first?.attach.map { forced in
                forced.isForced && self.waiting.contains { $0.event == .barrier(forced.number) }
            } ?? false
        var (named, left, saves, calls): ([Int], [Int], [Int], [Int]) = ([], [], [], [])
        for waiting in self.waiting {
            switch waiting.event {
            case .barrier(let number) where attaches.contains(number): named.append(waiting.ticket)
            case .barrier: left.append(waiting.ticket)
            case .edits: saves.append(waiting.ticket)
            case .call(.fetchUser, _), .call(.send, _): calls.append(waiting.ticket)
            case .installation where !self.memory.installation.changes.ofPerson.isEmpty: saves.append(waiting.ticket)
            case .registration, .installation, .call: break
            }
        }
        let actions =
            self.endUnsaved(saves, error) + self.end(left, .success(.pending))
            + self.end(named + calls, .failure(error))
        // A forced personalize that its caller saw fail is not done later.
        return actions + (isForced ? self.abandon(self.memory.last.id) : [])
    }

    /// Ends callers of saves, which are kept and retried.
    ///
    /// Callers without access get the error, because only they can fix it.
    private mutating func endUnsaved(_ tickets: [Int], _ error: SignetError) -> [Action] {
        switch error.code {
        case .tokenUnavailable, .unauthorized, .invalidConfiguration: self.end(tickets, .failure(error))
        default: self.end(tickets, .success(.pending))
        }
    }

    /// Ends all callers; what is kept stays pending.
    mutating func endAll(_ result: Result<InfobipSaveResult, SignetError>) -> [Action] {
        let detaches = Set(self.memory.scopes.flatMap(\.barriers).filter { $0.attach == nil }.map(\.number))
        let kept = self.tickets {
            switch $0 {
            case .edits, .installation: true
            case .barrier(let number): detaches.contains(number)
            case .registration, .call: false
            }
        }
        return self.end(kept, .success(.pending)) + self.end(self.waiting.map(\.ticket), result)
    }
}

extension InfobipStateMachine.Operation {
    /// True if it is repeated after a refusal, too, with growing pauses.
    fileprivate var isRepeatedWhenRefused: Bool {
        switch self {
        case .register, .detach, .look: true
        default: false
        }
    }

}

extension PersonScope.Attach {
    /// Assigns a new registration to the person of a lost one.
    fileprivate static func restoring(
        _ identity: InfobipIdentity,
        _ snapshot: InfobipUser?,
        _ number: UInt64
    ) -> PersonScope.Attach {
        let options: InfobipRoute.PersonalizeOptions = snapshot?.type == .lead ? .keepAsLead : []
        return .init(
            number: number,
            personalization: .init(identity: identity, attributes: nil, options: options),
            origin: .restore
        )
    }
}
