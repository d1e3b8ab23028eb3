// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

// The effects of answers on the memory; the callers are answered after them.
extension InfobipStateMachine {
    // MARK: - Done

    mutating func succeeded(_ ended: Operation.InFlight, _ answer: Answer, milliseconds: Int64) -> [Action] {
        switch (ended.operation, answer) {
        case (.register(_, let token), .installation(let installation)):
            return self.registered(token, installation, milliseconds)
        case (.expire(let id), _):
            self.memory.former.removeAll { $0 == id }
        case (.saveInstallation(let edits, let token, let system, let scope), _):
            self.memory.installation.saved(edits)
            self.memory.reported(token, system)
            if let isPrimary = edits.changes.isPrimary, let id = self.memory.active?.id {
                self.memory.people[scope]?.snapshot?.value.setPrimary(id, isPrimary)
            }
            return [.tell(.installationSynced(self.profile))]
        case (.saveUser(let edits, let scope, _), _):
            self.memory.people.saved(edits, in: scope)
            return scope == self.memory.last.id ? [.tell(.userSynced(self.user))] : []
        case (.attach(let attach, let scope), .user(let user)):
            return self.attached(attach, scope, user)
        case (.detach(let scope), _):
            return self.detached(scope)
        case (.look(let scope), .user(let user)):
            let actions = self.change { $0.looked(scope, user) }
            if self.memory.people[scope] != nil {
                self.memory.learn(user)
            } else {
                // Somebody else was there, and leaves.
                self.memory.synced = .overruled(self.memory.synced, by: nil)
            }
            return actions
        case (.fetchUser(let scope), .user(let user)):
            return self.fetched(scope, user, tickets: ended.tickets)
        case (.fetchInstallation, .installation(let installation)):
            // An answer about another installation says nothing of this one.
            if installation.pushRegistrationID == self.memory.active?.id {
                self.memory.installation.known = .exact(installation)
            }
        case (.depersonalizeOther(let id, let scope), _):
            self.memory.people[scope]?.snapshot?.value.installations.removeAll { $0.pushRegistrationID == id }
        case (.setPrimary(let id, let isPrimary, let scope), _):
            self.memory.people[scope]?.snapshot?.value.setPrimary(id, isPrimary)
            if isPrimary { self.memory.installation.known.value.isPrimary = false }
        case (.sendEvents(let ordinals, let scope), _):
            return self.sent(ordinals, scope)
        case (.reportSessions(let report, let scope), _):
            self.reported(report, scope)
        default:
            break
        }
        return []
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
        self.memory.installation.register(installation, isAttached: self.memory.people.isAttached)
        return [.tell(.registrationUpdated(id)), .tell(.installationSynced(self.profile))]
            + self.callers.end { $0.event == .registration ? .success(.done) : nil }
    }

    private mutating func attached(_ attach: PersonScope.Attach, _ id: PersonScope.ID, _ user: InfobipUser) -> [Action]
    {
        guard let before = self.memory.people[id] else { return [] }
        var actions = self.change { $0.attached(attach, in: id, as: user) }
        let isAnother = self.memory.people[id] == nil
        if attach.isForced || isAnother { self.memory.installation.clearPerson() }
        if attach.isForced { actions.append(.tell(.depersonalized)) }
        if attach.origin == .restore { self.memory.restored(before.snapshot?.value, user) }
        self.memory.learn(user)
        return actions + [.tell(.personalized)] + attach.origin.linked(.done)
    }

    private mutating func detached(_ id: PersonScope.ID) -> [Action] {
        guard let barrier = self.memory.people[id]?.barriers.first else { return [] }
        let actions = self.change { $0.detached(id) }
        self.memory.installation.clearPerson()
        return actions + [.tell(.depersonalized)] + barrier.origin.linked(.done)
    }

    /// The service has named the person of a scope.
    private mutating func fetched(_ id: PersonScope.ID, _ user: InfobipUser, tickets: [Int]) -> [Action] {
        // It may be old for what waits.
        guard let scope = self.memory.people[id], scope.barriers.isEmpty, self.memory.people.attachment == .known(id)
        else { return [] }
        guard scope.claim.isSame(asFound: user, changed: scope.edits.fields) else {
            if id == self.memory.last.id { self.memory.synced = .overruled(self.memory.synced, by: nil) }
            // Logged out from elsewhere: the lead in their place may have what was written since.
            return self.change { $0.abandon(id) } + self.end(tickets, .success(.done))
        }
        guard id == self.memory.last.id else { return [] }
        self.memory.last.find(user)
        self.memory.learn(user)
        return []
    }

    /// Removes events that need not be kept any more.
    private mutating func sent(_ ordinals: [UInt64], _ scope: PersonScope.ID) -> [Action] {
        guard self.memory.people[scope] != nil else { return [] }
        self.memory.people[scope]?.events.remove(ordinals)
        return [.remove(ordinals)]
    }

    private mutating func reported(_ report: InfobipSessions.Report, _ scope: PersonScope.ID) {
        self.memory.people[scope]?.sessions.reported(report)
        if scope == self.memory.last.id { self.isReportDue = false }
    }

    // MARK: - Not done

    mutating func failed(_ ended: Operation.InFlight, _ error: SignetError, _ mayHaveHappened: Bool) -> [Action] {
        switch ended.operation {
        case .register:
            // Callers without access get the error; callers without a network wait for one.
            let isWaiting = error.code != .unauthorized && error.code != .rejected
            return self.endServed(error.whileRepeating(ended.operation))
                + (isWaiting ? [] : self.callers.end { $0.event == .registration ? .failure(error) : nil })
        case .attach, .detach, .look:
            return self.unanswered(ended, error.whileRepeating(ended.operation), mayHaveHappened)
        case .setPrimary where mayHaveHappened:
            self.memory.installation.known.doubt()
        default: break
        }
        return self.callers.fail(error) { ended.tickets.contains($0.ticket) }
    }

    /// There was no answer, or none from the service: the barrier may have been done, and is repeated.
    private mutating func unanswered(
        _ ended: Operation.InFlight,
        _ error: SignetError,
        _ mayHaveHappened: Bool
    ) -> [Action] {
        self.memory.people.unanswered(mayHaveHappened: mayHaveHappened)
        guard case .attach(let attach, let id) = ended.operation, self.memory.people[id] != nil else {
            return self.endBlocked(error)
        }
        guard id == self.memory.last.id else {
            // A later one goes in its place.
            return self.end(ended.tickets, .failure(error)) + (attach.isForced ? self.change { $0.abandon(id) } : [])
        }
        let actions = self.endBlocked(error)
        if attach.isForced, ended.tickets.isEmpty, error.code == .tokenUnavailable,
            self.memory.people.attachment != .known(id)
        {
            // At least the person of before leaves.
            self.memory.people.detachFirst(id)
            self.tryAgain()
        }
        return actions
    }

    mutating func refused(
        _ ended: Operation.InFlight,
        _ error: SignetError,
        _ rollsBackIdentity: Bool,
        _ milliseconds: Int64
    ) -> [Action] {
        switch ended.operation {
        case .attach(let attach, let id):
            let impossible = InfobipRefusal.Reason.personalizationImpossible.rawValue
            if !attach.origin.isNoLogin, !attach.isForced, error.errors.first?.code == impossible {
                self.memory.people.force(attach, in: id)
                return []
            }
            // The next login asks again, though it be the same one.
            if case .login(let entry) = attach.origin, entry == self.memory.followed {
                self.memory.synced = self.memory.synced?.forgotten
            }
            return attach.origin.linked(.failed(error)) + self.change { $0.refused(attach, in: id) }
        case .saveUser(let edits, let scope, _):
            // The service took nothing of it. The part that can never succeed is dropped, and the rest is sent again.
            let fields = edits.changes.refused(error, rollsBackIdentity: rollsBackIdentity).fields
            self.memory.people[scope]?.refused(InfobipEdits(edits.changes.only(fields), numbers: edits.numbers))
        case .saveInstallation(let edits, _, let system, _):
            self.memory.installation.refused(edits)
            // The changes may be what was refused: token and system data are sent again, alone. Then the token is, until it is taken.
            if edits.isEmpty, let system { self.memory.refused(system, milliseconds) }
        case .expire(let id):
            self.memory.former.removeAll { $0 == id }
        case .sendEvents(let ordinals, let scope):
            return self.sent(ordinals, scope)
        case .reportSessions(let report, let scope):
            self.reported(report, scope)
        case .register, .detach, .look, .fetchUser, .fetchInstallation, .depersonalizeOther, .setPrimary, .sendEvent:
            break
        }
        return []
    }
}

extension PersonScope.Origin {
    /// Reports the outcome of a change of the installation's user.
    func linked(_ outcome: IdentitySyncOutcome.Kind) -> [InfobipStateMachine.Action] {
        if case .login(let id) = self { [.linked(id, outcome)] } else { [] }
    }
}
