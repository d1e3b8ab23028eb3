// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

extension InfobipStateMachine {
    /// Handles the success of an operation.
    mutating func succeed(_ ended: UnderWay, _ answer: Answer, milliseconds: Int64) -> [Action] {
        switch (ended.operation, answer) {
        case (.register(_, let token), .installation(let installation)):
            return self.registered(installation, token, milliseconds, isOfThisEra: ended.era == self.era)
        case (.expire(let id), _):
            self.memory.former.removeAll { $0 == id }
        case (.saveInstallation(let changes, _, let token, let system), _):
            return self.savedInstallation(ended, changes, token, system)
        case (.saveUser(let changes, _, let isFarewell), _):
            return self.savedUser(ended, changes, isFarewell: isFarewell)
        case (.restore, _) where ended.era == self.era:
            self.memory.recovery = .details
            self.memory.doubt = .details
            self.memory.isPersonalized = true
            self.confirmed = InfobipUserChanges()
        case (.introduce, _):
            self.memory.introduction = nil
            self.memory.isPersonalized = true
        case (.personalize(let personalization, let clears), .user(let user)):
            return self.personalized(ended, personalization, user, clears: clears)
        case (.depersonalize, _):
            return self.depersonalized()
        case (.fetchUser, .user(let user)):
            return self.fetched(ended, user)
        case (.fetchInstallation, .installation(let installation)):
            return self.fetched(ended, installation)
        case (.depersonalizeOther(let id), _):
            if ended.era == self.era { self.memory.user.installations.removeAll { $0.pushRegistrationID == id } }
        case (.setPrimary(let id, let isPrimary), _):
            if ended.era == self.era { self.setPrimary(id, isPrimary) }
        case (.sendEvents(let range), _):
            return self.sent(range)
        case (.reportSessions(let report), _):
            self.memory.sessions.reported(report)
            self.isReportDue = false
        default:
            break
        }
        return self.end(ended.tickets, .success(.done))
    }

    private mutating func registered(
        _ installation: InfobipInstallation,
        _ token: InfobipPushToken,
        _ milliseconds: Int64,
        isOfThisEra: Bool
    ) -> [Action] {
        guard let id = installation.pushRegistrationID else { return [] }
        self.memory.registration = .init(id: id, token: token, systemHash: self.systemHash.fresh, at: milliseconds)
        self.memory.former.removeAll { $0 == id }
        self.memory.profile = installation
        self.isInfobipKnown = true
        if !isOfThisEra { self.clearPerson() }
        let asked = self.memory.installationChanges.isPrimary
        self.dropKnownInfobipChanges()
        self.keepPrimary(asked)
        return [.tell(.registrationUpdated(id)), .tell(.installationSynced(self.profile))]
            + self.end(self.registrationTickets, .success(.done))
    }

    /// Keeps a request for the primary flag until a lost registration has its person again.
    ///
    /// Until then the flag does not count among the person's installations.
    mutating func keepPrimary(_ asked: Bool?) {
        guard let asked, self.memory.recovery == .identity, self.memory.registration != nil else { return }
        self.memory.profile.isPrimary = !asked
        self.memory.installationChanges.isPrimary = asked
    }

    /// Clears data that were registered for a person who has left meanwhile.
    private mutating func clearPerson() {
        var cleared = InfobipInstallationChanges()
        cleared.customAttributes = self.memory.profile.customAttributes.mapValues { _ in .clear }
        cleared.isPrimary = self.memory.profile.isPrimary ? false : nil
        self.memory.installationChanges = cleared.then(self.memory.installationChanges)
    }

    private mutating func savedInstallation(
        _ ended: UnderWay,
        _ changes: InfobipInstallationChanges,
        _ token: InfobipPushToken?,
        _ system: String?
    ) -> [Action] {
        self.memory.profile = self.memory.profile.applying(changes)
        self.took(changes, ended.era)
        self.reported(token, system)
        if let isPrimary = changes.isPrimary, ended.era == self.era, let id = self.memory.registration?.id {
            self.setPrimary(id, isPrimary)
        }
        if ended.era != self.era {
            // They belong to a person who has left meanwhile.
            self.memory.profile.customAttributes = [:]
            self.memory.profile.isPrimary = false
        }
        return [.tell(.installationSynced(self.profile))] + self.end(ended.tickets, .success(.done))
    }

    private mutating func savedUser(
        _ ended: UnderWay,
        _ changes: InfobipUserChanges,
        isFarewell: Bool
    ) -> [Action] {
        self.took(changes, isFarewell: isFarewell, ended.era)
        guard !isFarewell, ended.era == self.era else { return self.end(ended.tickets, .success(.done)) }
        self.memory.user = self.memory.user.applying(changes)
        self.unansweredNames = []
        if self.memory.user.hasIdentity { self.memory.isPersonalized = true }
        if !self.isUserKnown { self.confirmed = self.confirmed.then(changes) }
        return [.tell(.userSynced(self.user))] + self.end(ended.tickets, .success(.done))
    }

    private mutating func personalized(
        _ ended: UnderWay,
        _ personalization: InfobipCall.Personalization,
        _ user: InfobipUser,
        clears: Bool
    ) -> [Action] {
        var actions: [Action] = []
        if let id = ended.linked, self.memory.linked?.id == id {
            self.memory.linked = nil
            actions.append(.linked(id, .done))
        }
        // Superseded meanwhile: the new person is about to leave again.
        guard ended.era == self.era else {
            self.dropOld(user)
            if self.memory.introduction == personalization.identity { self.memory.introduction = nil }
            self.memory.farewell = self.memory.farewell.without(ended.old)
            return actions + [.tell(.personalized)] + self.end(ended.tickets, .success(.done))
        }
        // Changes of the same fields, saved before it, are old.
        var changes = self.memory.userChanges.without(ended.old)
        if self.urgent.contains(where: { $0.isReplacement && ended.tickets.contains($0.ticket) }), !clears {
            // The person was logged out from elsewhere: the service cannot take their data any more.
            if !ended.changes.isEmpty { actions += self.end(self.userTickets, .failure(.personGone)) }
            let left = changes.without(ended.changes)
            actions += self.dropped(changes.without(left))
            changes = left
            self.takeBack()
            actions += self.dropLeft(.personGone)
        }
        if clears || personalization.options.forceDepersonalize {
            let own = self.memory.installationChanges
            self.forgetUser()
            actions += self.depersonalized()
            // Changes requested after it do not belong to the previous person.
            let kept = personalization.options.forceDepersonalize ? own.without(ended.own) : own
            self.memory.installationChanges = self.memory.installationChanges.then(kept.ofPerson)
        }
        self.memory.userChanges = changes
        actions += self.know(user, told: personalization.changes)
        return actions + [.tell(.personalized)] + self.end(ended.tickets, .success(.done))
    }

    private mutating func fetched(_ ended: UnderWay, _ user: InfobipUser) -> [Action] {
        guard ended.era == self.era, !self.memory.depersonalization.isRequested else {
            var actions: [Action] = []
            if self.memory.depersonalization.isRequested {
                self.dropOld(user)
                actions = self.settleDoubt(user)
            }
            return actions + self.end(ended.tickets, .failure(.depersonalizationPending))
        }
        return self.know(user) + self.end(ended.tickets, .success(.done))
    }

    private mutating func fetched(_ ended: UnderWay, _ installation: InfobipInstallation) -> [Action] {
        self.memory.isInfobipDoubted = false
        // An answer about another installation says nothing of this one.
        if installation.pushRegistrationID == self.memory.registration?.id {
            self.memory.profile = installation
            if ended.era != self.era || self.memory.depersonalization.isRequested {
                // They belong to a person who has left meanwhile.
                self.memory.profile.customAttributes = [:]
                self.memory.profile.isPrimary = false
            }
            self.isInfobipKnown = true
            self.dropKnownInfobipChanges()
        }
        return self.end(ended.tickets, .success(.done))
    }

    /// Takes over the person that the service has named.
    ///
    /// - Parameters:
    ///   - user: The person.
    ///   - told: The values sent with the same request; nil for a fetch.
    /// - Returns: The actions to take.
    private mutating func know(_ user: InfobipUser, told: InfobipUserChanges? = nil) -> [Action] {
        var actions: [Action] = []
        if self.memory.user.hasIdentity, !self.memory.user.isSame(as: user), !self.isRenamed(user) {
            // The installation got another person from elsewhere: earlier data and changes must not go to them.
            self.takeBack()
            actions = self.dropUntold(from: self.memory.doubted) + self.dropped(self.memory.userChanges)
            if !self.memory.userChanges.isEmpty {
                actions += self.end(self.userTickets, .failure(.identityUndetermined))
            }
            self.memory.userChanges = InfobipUserChanges()
        } else if told == nil, let doubted = self.memory.doubted, user.hasIdentity, !self.user.isSame(as: user) {
            // Data of an anonymous person do not go to one who came by force, unless the app has named that one.
            actions = self.dropUntold(from: doubted)
        }
        self.memory.doubted = nil
        self.dropOld(user)
        self.tellAnew(user, told: self.confirmed.then(told ?? .init()))
        self.confirmed = InfobipUserChanges()
        self.memory.user = user
        self.memory.isPersonalized = user.hasIdentity
        // The person's data on the installation may be gone with them.
        if self.memory.doubt == .person { self.doubtInfobip() }
        self.memory.doubt = .none
        self.unansweredNames = []
        self.isUserKnown = true
        if let own = user.installations.first(where: { $0.pushRegistrationID == self.memory.registration?.id }) {
            self.memory.profile.isPrimary = own.isPrimary
            self.memory.profile.isPushRegistrationEnabled = own.isPushRegistrationEnabled
        }
        self.dropKnownUserChanges()
        return actions
    }

    /// Sends everything again if the service has lost more than a registration.
    ///
    /// If the service knows the person, its data win, because another device may have changed them since. It knows them
    /// if it has anything beyond the data sent since the registration was lost.
    private mutating func tellAnew(_ user: InfobipUser, told: InfobipUserChanges) {
        let isOwed = self.memory.recovery == .details && self.memory.user.isSame(as: user)
        self.memory.recovery = .none
        guard isOwed else { return }
        let own = self.memory.registration?.id
        // The flag counted among the installations without a person until this one had its person again.
        let isTaken = user.installations.contains { $0.isPrimary && $0.pushRegistrationID != own }
        if self.memory.profile.isPrimary, !isTaken, self.memory.installationChanges.isPrimary == nil {
            self.memory.installationChanges.isPrimary = true
        }
        let isAlone = user.installations.allSatisfy { $0.pushRegistrationID == own }
        let known = self.memory.user.leadingIdentity.changes.then(told)
        guard isAlone, InfobipUser().applying(known).lacking(user.asChanges).isEmpty else { return }
        let again = self.memory.user.asChanges
        self.memory.userChanges = again.then(self.memory.userChanges)
        self.makeOld(again)
    }

    /// Keeps at most one installation of a person primary.
    private mutating func setPrimary(_ id: String, _ isPrimary: Bool) {
        let installations = self.memory.user.installations
        if isPrimary, let index = installations.firstIndex(where: \.isPrimary) {
            self.memory.user.installations[index].isPrimary = false
        }
        if let index = installations.firstIndex(where: { $0.pushRegistrationID == id }) {
            self.memory.user.installations[index].isPrimary = isPrimary
        }
        if isPrimary, id != self.memory.registration?.id { self.memory.profile.isPrimary = false }
    }
}
