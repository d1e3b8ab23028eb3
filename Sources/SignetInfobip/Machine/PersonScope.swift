// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

import struct FoundationEssentials.UUID

/// One person's time on an installation, as the app sees it; nothing crosses scopes.
///
/// Only a depersonalize and a forced personalize open one. What an app saves, does or asks is stamped with the scope that
/// is the last at that moment, and stays that scope's.
struct PersonScope: Sendable, Hashable {
    typealias ID = UInt64

    /// The person whom the service has named.
    enum Claim: Sendable, Hashable {
        case anonymous
        /// Empty if the name must not be on disk, and the process that knew it has ended.
        case named(InfobipIdentity)
    }

    /// A request that changes whom the installation belongs to, and holds up all others until it is done.
    enum Barrier: Sendable, Hashable {
        case attach(Attach)
        case detach(UInt64, Origin)
        /// Asks whether an attach has happened that was first unanswered, then refused.
        case look(UInt64)

        /// The number of its call.
        var number: UInt64 {
            switch self {
            case .attach(let attach): attach.number
            case .detach(let number, _), .look(let number): number
            }
        }

        var attach: Attach? {
            if case .attach(let attach) = self { attach } else { nil }
        }

        var origin: Origin {
            switch self {
            case .attach(let attach): attach.origin
            case .detach(_, let origin): origin
            case .look: .restore
            }
        }

        /// True if its result does not depend on whom the installation belongs to.
        var isDecisive: Bool {
            switch self {
            case .attach(let attach): attach.isForced
            case .detach: true
            case .look: false
            }
        }
    }

    /// A personalize.
    struct Attach: Sendable, Hashable {
        var number: UInt64
        var personalization: InfobipCall.Personalization
        let origin: Origin

        var isForced: Bool { self.personalization.options.contains(.forceDepersonalize) }
        var changes: InfobipUserChanges { self.personalization.changes }
        /// Its values of the person, by the number of its call.
        var said: InfobipUserEdits { InfobipUserEdits(self.changes, number: self.number) }
    }

    /// The origin of a barrier.
    enum Origin: Sendable, Hashable {
        case app
        /// A change of the installation's user, by its id in the outbox.
        case login(UUID)
        /// The machine: a lost registration gets its person again.
        case restore

        var isNoLogin: Bool { if case .login = self { false } else { true } }
    }

    let id: ID
    var claim = Claim.anonymous
    /// Still to be done, oldest first.
    var barriers: [Barrier] = []
    var edits = InfobipUserEdits()
    /// The fields that the app has set here, sent or waiting.
    var own: Set<InfobipField> = []
    var events = InfobipEventQueue()
    var sessions = InfobipSessions()
    /// Nil before the first answer about the person, or refusal.
    var snapshot: LastKnown<InfobipUser>?

    /// The external id that the scope has or waits for.
    var externalUserID: String? {
        let waiting = self.barriers.last { $0.attach?.personalization.identity.externalUserID != nil }
        if let waiting { return waiting.attach?.personalization.identity.externalUserID }
        if case .named(let identity) = self.claim { return identity.externalUserID }
        return nil
    }

    /// The last name that the scope has or waits for; nil without a name.
    var name: InfobipIdentity? {
        if let waiting = self.barriers.last(where: { $0.attach != nil })?.attach {
            return waiting.personalization.identity
        }
        if case .named(let identity) = self.claim, !identity.isEmpty { return identity }
        return nil
    }

    /// True until the service has done the request that opened the scope.
    var isComing: Bool { self.barriers.first?.isDecisive ?? false }

    /// True if there is nothing to send for its person.
    var isSent: Bool { self.edits.isEmpty && self.events.isEmpty && self.sessions.all.isEmpty }

    /// True if a personalize waits that the app has asked for; a login is taken over from the installation again.
    var awaitsAttachOfApp: Bool {
        for case .attach(let attach) in self.barriers where attach.origin.isNoLogin { return true }
        return false
    }

    /// The person as the app sees them.
    var user: InfobipUser {
        (self.snapshot?.value ?? InfobipUser()).applying(self.edits.changes)
    }

    /// The identity that a new registration gets in place of a lost one; nil without a name.
    var restoredIdentity: InfobipIdentity? {
        let identity: InfobipIdentity? =
            if case .named(let claimed) = self.claim { claimed } else { self.snapshot?.value.identity }
        return identity.flatMap { $0.isEmpty ? nil : $0.leading }
    }

    /// True if an identity is not that of the person whom the app assumes, including one whom the service does not know
    /// yet.
    func isSomebodyElse(_ identity: InfobipIdentity) -> Bool {
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

    /// The fields of changes that differ from what the service has, or may have.
    func changed(by changes: InfobipUserChanges) -> Set<InfobipField> {
        guard let snapshot = self.snapshot?.certain, self.barriers.isEmpty else { return changes.fields }
        return changes.fields.filter { field in
            self.edits.numbers[field] != nil || !UserPatchBody(changes.only([field]), current: snapshot).isEmpty
        }
    }

    // MARK: - Answers

    /// Takes over the person as the service has named them; another name is a rename.
    mutating func find(_ user: InfobipUser) {
        if case .named = self.claim {
            self.claim = user.hasIdentity ? .named(user.identity) : .anonymous
        } else if user.externalUserID != nil {
            self.claim = .named(user.identity)
        }
        self.snapshot = .exact(user)
    }

    /// The service has taken edits.
    mutating func saved(_ edits: InfobipUserEdits) {
        self.edits.remove(sent: edits)
        var known = self.snapshot ?? .exact(InfobipUser())
        known.value = known.value.applying(edits.changes)
        self.snapshot = known
        if case .named(let identity) = self.claim {
            let renamed = InfobipUser().applying(identity.changes)
                .applying(edits.changes.only([.externalUserID, .phones, .emails]))
            self.claim = .named(renamed.identity)
        }
    }

    /// The service has refused edits, for good; it may have taken an earlier attempt.
    mutating func refused(_ edits: InfobipUserEdits) {
        self.edits.remove(sent: edits)
        self.snapshot = .doubtful(self.snapshot?.value ?? InfobipUser())
    }

    // MARK: - Leaving

    /// Takes over what waited for the same person; fields that the app has set here are newer.
    mutating func take(_ other: PersonScope) {
        var edits = other.edits
        edits.remove(self.own)
        self.edits.add(edits)
        self.events = InfobipEventQueue(other.events.ranges + self.events.ranges)
        self.sessions.all = other.sessions.all + self.sessions.all
    }

    /// Forgets the use of the app: unsent events and sessions.
    mutating func forgetUse() {
        self.events = InfobipEventQueue()
        self.sessions = InfobipSessions()
    }

    /// Removes the first barrier, which is done or will never be.
    mutating func endBarrier() {
        if !self.barriers.isEmpty { self.barriers.removeFirst() }
    }

    /// Forgets everything about the person, and keeps what the service must still do.
    ///
    /// - Parameter isMoving: True if the first barrier may have been done: the service is then told to undo it.
    mutating func forget(isMoving: Bool) {
        self = PersonScope(
            id: self.id,
            claim: self.claim == .anonymous ? .anonymous : .named(InfobipIdentity()),
            barriers: self.barriers.first.map { isMoving || $0.isDecisive ? [.detach($0.number, .restore)] : [] } ?? []
        )
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
        // A log-out leaves a lead, so a customer is this person: another device may have changed all their names.
        if user.externalUserID != nil || user.type == .customer { return true }
        if identity.externalUserID != nil { return changed.contains(.externalUserID) }
        return identity.hasContact(of: user.identity) || changed.contains(.phones) || changed.contains(.emails)
    }
}

extension InfobipIdentity {
    var isEmpty: Bool { self.phones.isEmpty && self.emails.isEmpty && self.externalUserID == nil }

    /// The key of one person's waiting data: the external id alone, if there is one.
    var key: InfobipIdentity {
        if let externalUserID { return InfobipIdentity(externalUserID: externalUserID) }
        return InfobipIdentity(
            phones: self.phones.map(\.phoneDigits).sorted(),
            emails: self.emails.map { $0.lowercased() }.sorted()
        )
    }

    /// True if both have a phone or an e-mail address in common.
    func hasContact(of other: InfobipIdentity) -> Bool {
        !Set(self.phones.map(\.phoneDigits)).isDisjoint(with: other.phones.map(\.phoneDigits))
            || !Set(self.emails.map { $0.lowercased() }).isDisjoint(with: other.emails.map { $0.lowercased() })
    }
}
