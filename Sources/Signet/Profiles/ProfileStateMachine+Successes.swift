//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

extension ProfileStateMachine {
    /// An operation has succeeded.
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
        case (.restore, _):
            self.memory.isRestoring = false
            self.memory.isPersonalized = true
            self.confirmed = UserProfileChanges()
            if self.mayBeOld { self.memory.doubt = .details }
            // It was primary among the installations of nobody else until now.
            if self.profile.isPrimary {
                self.memory.profile.isPrimary = false
                self.memory.profileChanges.isPrimary = true
            }
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
        _ installation: InstallationProfile,
        _ token: ProfilePushToken,
        _ milliseconds: Int64,
        isOfThisEra: Bool
    ) -> [Action] {
        guard let id = installation.pushRegistrationID else { return [] }
        self.memory.registration = .init(id: id, token: token, systemHash: self.systemHash.fresh, at: milliseconds)
        self.memory.former.removeAll { $0 == id }
        self.memory.profile = installation
        self.isProfileKnown = true
        if !isOfThisEra { self.clearPerson() }
        self.dropKnownProfileChanges()
        return [.tell(.registrationUpdated(id)), .tell(.installationSynced(self.profile))]
            + self.end(self.registrationTickets, .success(.done))
    }

    /// It was registered with what it had of a person who has gone meanwhile.
    private mutating func clearPerson() {
        var cleared = InstallationProfileChanges()
        cleared.customAttributes = self.memory.profile.customAttributes.mapValues { _ in .clear }
        cleared.isPrimary = self.memory.profile.isPrimary ? false : nil
        self.memory.profileChanges = cleared.then(self.memory.profileChanges)
    }

    private mutating func savedInstallation(
        _ ended: UnderWay,
        _ changes: InstallationProfileChanges,
        _ token: ProfilePushToken?,
        _ system: String?
    ) -> [Action] {
        self.memory.profile = self.memory.profile.applying(changes)
        self.memory.profileChanges = self.memory.profileChanges.without(changes)
        self.reported(token, system)
        if let isPrimary = changes.isPrimary, ended.era == self.era, let id = self.memory.registration?.id {
            self.setPrimary(id, isPrimary)
        }
        if ended.era != self.era {
            // Of a person who has gone meanwhile.
            self.memory.profile.customAttributes = [:]
            self.memory.profile.isPrimary = false
        }
        return [.tell(.installationSynced(self.profile))] + self.end(ended.tickets, .success(.done))
    }

    private mutating func savedUser(
        _ ended: UnderWay,
        _ changes: UserProfileChanges,
        isFarewell: Bool
    ) -> [Action] {
        self.took(changes, isFarewell: isFarewell, ended.era)
        guard !isFarewell, ended.era == self.era else { return self.end(ended.tickets, .success(.done)) }
        self.memory.user = self.memory.user.applying(changes)
        if self.memory.user.hasIdentity { self.memory.isPersonalized = true }
        if !self.isUserKnown { self.confirmed = self.confirmed.then(changes) }
        return [.tell(.userSynced(self.user))] + self.end(ended.tickets, .success(.done))
    }

    private mutating func personalized(
        _ ended: UnderWay,
        _ personalization: ProfileCall.Personalization,
        _ user: UserProfile,
        clears: Bool
    ) -> [Action] {
        var actions: [Action] = []
        if let id = ended.linked, self.memory.linked?.id == id {
            self.memory.linked = nil
            actions.append(.linked(id, .done))
        }
        // Called away meanwhile: whoever it became is about to go again.
        guard ended.era == self.era else {
            self.dropOld(user)
            self.memory.farewell = self.memory.farewell.without(ended.old)
            return actions + [.tell(.personalized)] + self.end(ended.tickets, .success(.done))
        }
        // What was saved before it, of what it says itself, is old.
        var changes = self.memory.userChanges.without(ended.old)
        if self.urgent.contains(where: { $0.isReplacement && ended.tickets.contains($0.ticket) }), !clears {
            // They were logged out from elsewhere: the service cannot be told any more of what was theirs.
            if !ended.changes.isEmpty { actions += self.end(self.userTickets, .failure(.personGone)) }
            let left = changes.without(ended.changes)
            actions += self.dropped(changes.without(left))
            changes = left
            actions += self.dropLeft(.personGone)
        }
        if clears || personalization.options.forceDepersonalize {
            let own = self.memory.profileChanges
            self.forgetUser()
            actions += self.settleSince(ended.tickets) + self.depersonalized()
            // What was asked for after it is not of the person before.
            let kept = personalization.options.forceDepersonalize ? own.without(ended.own) : own
            self.memory.profileChanges = self.memory.profileChanges.then(kept.ofPerson)
        }
        self.memory.userChanges = changes
        self.confirmed = UserProfileChanges()
        self.memory.isRestoring = false
        actions += self.know(user)
        return actions + [.tell(.personalized)] + self.end(ended.tickets, .success(.done))
    }

    private mutating func fetched(_ ended: UnderWay, _ user: UserProfile) -> [Action] {
        guard ended.era == self.era, !self.memory.depersonalization.isRequested else {
            if self.memory.depersonalization.isRequested { self.dropOld(user) }
            return self.end(ended.tickets, .failure(.depersonalizationPending))
        }
        self.confirmed = UserProfileChanges()
        return self.know(user) + self.end(ended.tickets, .success(.done))
    }

    private mutating func fetched(_ ended: UnderWay, _ installation: InstallationProfile) -> [Action] {
        self.memory.isProfileDoubted = false
        // One that is of another installation says nothing of this one.
        if installation.pushRegistrationID == self.memory.registration?.id {
            self.memory.profile = installation
            if ended.era != self.era || self.memory.depersonalization.isRequested {
                // Of a person who has gone meanwhile.
                self.memory.profile.customAttributes = [:]
                self.memory.profile.isPrimary = false
            }
            self.isProfileKnown = true
            self.dropKnownProfileChanges()
        }
        return self.end(ended.tickets, .success(.done))
    }

    /// The service has said who the person is.
    private mutating func know(_ user: UserProfile) -> [Action] {
        var actions: [Action] = []
        if self.memory.user.hasIdentity, !self.memory.user.isSame(as: user), !self.memory.userChanges.isEmpty {
            // It was made another one's from elsewhere: what was saved for whoever it was is for nobody else.
            actions = self.dropped(self.memory.userChanges) + self.end(self.userTickets, .failure(.personUnknown))
            self.memory.userChanges = UserProfileChanges()
        }
        self.dropOld(user)
        self.memory.user = user
        self.memory.isPersonalized = user.hasIdentity
        self.memory.doubt = .none
        self.isUserKnown = true
        if let own = user.installations.first(where: { $0.pushRegistrationID == self.memory.registration?.id }) {
            self.memory.profile.isPrimary = own.isPrimary
            self.memory.profile.isPushRegistrationEnabled = own.isPushRegistrationEnabled
        }
        self.dropKnownUserChanges()
        return actions
    }

    /// One installation of a person at most is the primary one.
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
