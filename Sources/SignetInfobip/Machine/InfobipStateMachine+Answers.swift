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
        guard let ended = self.underWay, ended.number == number else { return [] }
        let before = self.memory
        self.underWay = nil
        var actions: [Action]
        switch answer {
        case .lost(let error):
            actions = [.tell(.failed(error))] + self.lose(ended, error, now: now, jitter: jitter)
        case .failed(let error, let mayHaveHappened):
            self.pause(after: error, now: now, jitter: jitter)
            actions = [.tell(.failed(error))] + self.fail(ended, error, mayHaveHappened)
        case .refused(let error, let rollsBackIdentity):
            let failures = self.failures
            self.clearPause()
            // Requests that are repeated after a refusal wait for growing pauses.
            self.failures = failures
            actions = [.tell(.failed(error))]
            actions += self.refuse(ended, error, rollsBackIdentity, now: now, jitter: jitter)
            if self.pausedUntil == nil { self.failures = 0 }
            if self.isGood(ended.operation) { self.losses = 0 }
        case .done, .user, .installation:
            // Pauses grow as long as registrations are lost again.
            let failures = self.failures
            self.clearPause()
            if case .fetchUser = ended.operation { self.isFetchRefused = false }
            actions = self.succeed(ended, answer, milliseconds: milliseconds)
            if self.isGood(ended.operation) { self.losses = 0 }
            if self.losses > 0 { self.failures = failures }
        }
        actions += self.endSettledSaves(answer)
        if let error = self.askedPause(now) { actions += self.endHeld(error) }
        if self.memory != before { actions.insert(.save, at: 0) }
        return actions
    }

    /// Ends the callers of saves with nothing left to send: the same changes were in flight already.
    private mutating func endSettledSaves(_ answer: Answer) -> [Action] {
        var result = Result<InfobipSaveResult, SignetError>.success(.done)
        if case .refused(let error, _) = answer { result = .failure(error) }
        return (self.memory.userChanges.isEmpty ? self.end(self.userTickets, result) : [])
            + (self.memory.installationChanges.isEmpty ? self.end(self.infobipTickets, result) : [])
    }

    /// Ends the request in flight, because the runtime ends; its outcome is unknown.
    mutating func interrupt() {
        guard let ended = self.underWay else { return }
        self.underWay = nil
        self.doubtSaves(ended.operation)
        if self.memory.doubt == .person { self.beginDoubt() }
    }

    // MARK: - The registration is gone

    /// True if an answer shows that the registration works; restoring a lost one does not show it.
    private func isGood(_ operation: Operation) -> Bool {
        switch operation {
        case .register, .restore: false
        default: self.memory.recovery == .none
        }
    }

    private mutating func lose(
        _ ended: UnderWay,
        _ error: SignetError,
        now: Duration,
        jitter: Double
    ) -> [Action] {
        self.losses += 1
        self.memory.registration = nil
        self.memory.isPersonalized = false
        self.memory.doubt = .none
        self.memory.doubted = nil
        self.memory.isInfobipDoubted = false
        self.confirmed = InfobipUserChanges()
        self.isUserKnown = false
        self.isInfobipKnown = false
        self.unansweredNames = []
        if case .personalize = ended.operation { self.forgetPersonalize(ended) }
        // A known person stays known, and is fetched anew after that. Otherwise, unanswered requests do not count any
        // more.
        let isKnown = self.memory.user.hasIdentity && !self.memory.depersonalization.isRequested
        if !isKnown { self.memory.unanswered = [] }
        var actions: [Action] = []
        if self.memory.depersonalization.isRequested {
            // Its replacement has no person.
            self.memory.introduction = nil
            actions = self.dropped(self.memory.farewell)
            self.memory.farewell = InfobipUserChanges()
            self.memory.departed = nil
            actions += self.dropLeft(error) + self.depersonalized()
        } else if self.memory.user.hasIdentity {
            self.memory.recovery = .identity
        } else {
            let again = self.memory.user.asChanges
            self.memory.userChanges = again.then(self.memory.userChanges)
            self.makeOld(again)
            self.memory.user = InfobipUser()
        }
        if self.memory.token == nil { return actions + self.endAll(.failure(.notRegistered)) }
        // Retries once: a new registration that is lost again at once is no cure.
        guard self.losses > 1 else { return actions }
        self.pause(after: error, now: now, jitter: jitter)
        return actions + self.endServed(error)
    }

    /// Ends all callers, because the registration is unusable.
    private mutating func endUnregistered(_ error: SignetError) -> [Action] {
        // Callers without access get the error; callers without a network wait for one.
        let isWaiting = error.code != .unauthorized && error.code != .rejected
        return self.endServed(error) + (isWaiting ? [] : self.end(self.registrationTickets, .failure(error)))
    }

    // MARK: - Failures that may pass

    private mutating func fail(_ ended: UnderWay, _ error: SignetError, _ mayHaveHappened: Bool) -> [Action] {
        if mayHaveHappened { self.doubtSaves(ended.operation) }
        switch ended.operation {
        case .register, .restore: return self.endUnregistered(error)
        case .fetchUser where self.memory.recovery == .details: return self.endUnregistered(error)
        case .saveUser(_, _, let isFarewell):
            let isLast = isFarewell || !self.memory.depersonalization.isRequested
            return self.endUnsaved(ended.tickets, error) + (isLast ? self.holdUp(error) : [])
        case .sendEvent, .sendEvents, .reportSessions:
            return self.end(ended.tickets, .failure(error)) + self.holdUp(error)
        case .saveInstallation:
            return self.endUnsaved(ended.tickets, error)
        case .depersonalize:
            self.memory.depersonalization.status = .pending
            return self.end(self.depersonalizeTickets, .success(.pending))
        case .personalize:
            if !mayHaveHappened {
                self.memory.doubt = ended.doubt
                self.forgetPersonalize(ended)
            } else if self.memory.doubt == .person {
                self.beginDoubt()
            }
            // A followed login goes before all callers, and nothing was changed for them.
            return ended.linked == nil ? self.end(ended.tickets, .failure(error)) : self.endServed(error)
        case .introduce:
            return self.holdUp(error)
        case .fetchUser:
            return self.endUnfetched(ended.tickets, error)
        default:
            return self.end(ended.tickets, .failure(error))
        }
    }

    /// Marks the service's data as unknown until they are sent again, because the request may have arrived.
    private mutating func doubtSaves(_ operation: Operation) {
        switch operation {
        case .saveUser(let changes, _, let isFarewell):
            self.isUserKnown = false
            self.confirmed = InfobipUserChanges()
            if !isFarewell { self.beginNames(changes) }
        case .saveInstallation:
            self.isInfobipKnown = false
        case .setPrimary:
            self.doubtInfobip()
        default:
            break
        }
    }

    // MARK: - Refusals

    private mutating func refuse(
        _ ended: UnderWay,
        _ error: SignetError,
        _ rollsBackIdentity: Bool,
        now: Duration,
        jitter: Double
    ) -> [Action] {
        switch ended.operation {
        case .register:
            self.pause(after: error, now: now, jitter: jitter)
            return self.fail(ended, error, false)
        case .saveUser(let changes, _, let isFarewell):
            // The service took nothing of it. The part that can never succeed is dropped, and the rest is sent again.
            let refused = changes.refused(error, rollsBackIdentity: rollsBackIdentity)
            self.took(refused, isFarewell: isFarewell, ended.era)
            // The service may still have taken an earlier request without an answer.
            if !isFarewell, ended.era == self.era, !self.isUserKnown, self.memory.doubt == .none {
                self.memory.doubt = .details
            }
        case .saveInstallation(let changes, _, let token, let system):
            self.took(changes, ended.era)
            if !changes.isEmpty, !self.isInfobipKnown { self.memory.isInfobipDoubted = true }
            // The changes may be what was refused: token and system data are sent again, alone.
            if changes.isEmpty { self.reported(token, system) }
        case .restore:
            guard ended.era == self.era else { break }
            self.memory.recovery = .none
            // Only the service knows the person.
            self.memory.doubt = .details
        case .introduce:
            // To the service they are another person: their data are dropped.
            self.memory.introduction = nil
            let farewell = self.memory.farewell
            self.memory.farewell = InfobipUserChanges()
            return self.dropped(farewell) + self.dropLeft(error)
        case .personalize:
            self.memory.doubt = ended.doubt
            self.forgetPersonalize(ended)
            if let id = ended.linked { return self.refuseSync(id, error) }
        case .depersonalize:
            self.memory.depersonalization.failures += 1
            guard self.memory.depersonalization.failures >= Self.refusals else {
                self.memory.depersonalization.status = .pending
                self.pause(after: error, now: now, jitter: jitter)
                return self.end(self.depersonalizeTickets, .success(.pending))
            }
            self.memory.depersonalization = .init()
            // The installation keeps its person, who must not get data of another.
            self.memory.doubt = .person
            let dropped = self.dropSince() + self.dropped(self.memory.userChanges)
            self.memory.userChanges = InfobipUserChanges()
            self.beginDoubt()
            if let linked = self.memory.linked, linked.identity == nil {
                self.memory.linked = nil
                return dropped + [.linked(linked.id, .failed(error))]
                    + self.end(self.depersonalizeTickets, .failure(error))
            }
            return dropped + self.end(self.depersonalizeTickets, .failure(error))
        case .fetchUser where self.memory.depersonalization.isRequested:
            // All changes are sent, so none is lost; but the person of the doubted events is unknown.
            self.memory.unanswered = []
            return self.dropDoubted() + self.end(ended.tickets, .failure(error))
        case .fetchUser where self.memory.doubt != .none:
            // Nothing is saved until the person and their data are known.
            self.pause(after: error, now: now, jitter: jitter)
            self.isFetchRefused = true
            return self.endUnfetched(ended.tickets, error)
        case .fetchInstallation where self.memory.isInfobipDoubted:
            self.pause(after: error, now: now, jitter: jitter)
        case .expire(let id):
            self.memory.former.removeAll { $0 == id }
        case .sendEvents(let range):
            return self.sent(range)
        case .reportSessions(let report):
            self.memory.sessions.reported(report)
            self.isReportDue = false
        case .fetchUser, .fetchInstallation, .depersonalizeOther, .setPrimary, .sendEvent:
            break
        }
        return self.end(ended.tickets, .failure(error))
    }

    // MARK: - Callers

    /// Answers callers, wherever they wait.
    mutating func end(_ tickets: [Int], _ result: Result<InfobipSaveResult, SignetError>) -> [Action] {
        let tickets = Set(tickets)
        guard !tickets.isEmpty else { return [] }
        self.userTickets.removeAll(where: tickets.contains)
        self.infobipTickets.removeAll(where: tickets.contains)
        self.depersonalizeTickets.removeAll(where: tickets.contains)
        self.registrationTickets.removeAll(where: tickets.contains)
        self.urgent.removeAll { tickets.contains($0.ticket) }
        self.queue.removeAll { tickets.contains($0.ticket) }
        return tickets.sorted().map { .end($0, result) }
    }

    /// Removes changes of a person that need not be sent any more.
    mutating func took(_ changes: InfobipUserChanges, isFarewell: Bool, _ era: Int) {
        // A depersonalize has meanwhile made the changes in flight its farewell.
        if isFarewell || era != self.era {
            self.memory.farewell = self.memory.farewell.without(changes)
        } else {
            self.memory.userChanges = self.memory.userChanges.without(changes)
        }
    }

    /// Removes changes of the installation that need not be sent any more; those requested anew for another person
    /// stay.
    mutating func took(_ changes: InfobipInstallationChanges, _ era: Int) {
        let done = era == self.era ? changes : changes.without(changes.ofPerson)
        self.memory.installationChanges = self.memory.installationChanges.without(done)
    }

    /// Marks the service's data of the installation as unknown, to be fetched.
    mutating func doubtInfobip() {
        self.isInfobipKnown = false
        self.memory.isInfobipDoubted = true
    }

    /// Takes back the person's data on the installation after a logout from elsewhere.
    mutating func takeBack() {
        self.memory.profile.customAttributes = [:]
        self.memory.profile.isPrimary = false
        self.doubtInfobip()
    }

    /// Records the push token and the system data that the service has.
    mutating func reported(_ token: InfobipPushToken?, _ system: String?) {
        if let token { self.memory.registration?.token = token }
        if let system { self.memory.registration?.systemHash = system }
    }

    /// Removes events that need not be kept any more.
    mutating func sent(_ range: Range<UInt64>) -> [Action] {
        let events = self.memory.events
        guard range.lowerBound == events.lowerBound, range.upperBound <= events.upperBound else { return [] }
        self.memory.events = range.upperBound..<events.upperBound
        return [.remove(Array(range))]
    }

    /// Records that the installation has no person, or another one.
    mutating func depersonalized() -> [Action] {
        if self.memory.depersonalization.status == .pending { self.memory.depersonalization.status = .success }
        self.memory.depersonalization.isRequested = false
        self.memory.depersonalization.failures = 0
        self.memory.unanswered = []
        self.memory.isPersonalized = false
        // Data fetched meanwhile were the previous person's.
        self.memory.profile.customAttributes = [:]
        self.memory.profile.isPrimary = false
        var actions: [Action] = [.tell(.depersonalized)]
        if let linked = self.memory.linked, linked.identity == nil {
            self.memory.linked = nil
            actions.append(.linked(linked.id, .done))
        }
        return actions + self.end(self.depersonalizeTickets, .success(.done))
    }
}
