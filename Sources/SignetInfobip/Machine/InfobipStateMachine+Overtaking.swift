// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

// A personalize overrides the fields saved before it, even if its answer is lost, but only if it has happened. The
// person that the service names next shows that.
extension InfobipStateMachine {
    /// The most remembered personalizes without an answer.
    ///
    /// Changes saved before a further one are sent after it, and are not lost.
    private static let most = 16

    /// Remembers a personalize that is about to be sent, and may get no answer.
    ///
    /// - Parameters:
    ///   - said: The values that it sets for the person.
    ///   - old: The pending changes of the same fields at the time of its request.
    /// - Returns: True if it is remembered. If nothing could show that it has happened, it counts as not happened.
    mutating func beginPersonalize(_ said: InfobipUserChanges, old: InfobipUserChanges) -> Bool {
        // Values that an earlier one has set, too, are no sign of this one.
        let known = self.memory.unanswered.reduce(said.without(self.memory.user.lacking(said))) { known, earlier in
            known.then(said.without(InfobipUser().applying(earlier.said).lacking(said)))
        }
        let isShown = known != said || old.phones.isTouched || old.emails.isTouched
        guard isShown, self.memory.unanswered.count < Self.most else { return false }
        self.memory.unanswered.append(.init(said: said, known: known, old: old))
        return true
    }

    /// Forgets a personalize that was refused, or not sent.
    mutating func forgetPersonalize(_ ended: UnderWay) {
        if ended.isRemembered, !self.memory.unanswered.isEmpty { self.memory.unanswered.removeLast() }
    }

    /// True if pending changes may be older than the service's data.
    var mayBeOld: Bool {
        self.memory.unanswered.contains { !$0.old.isEmpty }
    }

    /// Marks changes saved now as new, even if they are the same as older ones.
    mutating func renew(_ changes: InfobipUserChanges) {
        self.underWay?.old.leave(changes)
        self.memory.linked?.old.leave(changes)
        for index in self.urgent.indices { self.urgent[index].old.leave(changes) }
        for index in self.memory.unanswered.indices { self.memory.unanswered[index].old.leave(changes) }
    }

    /// Does the same for the installation.
    mutating func renew(_ changes: InfobipInstallationChanges) {
        if let underWay = self.underWay { self.underWay?.own = underWay.own.without(changes) }
        for index in self.urgent.indices { self.urgent[index].own = self.urgent[index].own.without(changes) }
    }

    /// Marks changes that are saved again as older than the personalizes that wait.
    mutating func makeOld(_ changes: InfobipUserChanges) {
        for index in self.urgent.indices {
            guard case .personalize(let personalization) = self.urgent[index].call else { continue }
            self.urgent[index].old = changes.restricted(to: personalization.changes).then(self.urgent[index].old)
        }
        guard let linked = self.memory.linked, let identity = linked.identity else { return }
        self.memory.linked?.old = changes.restricted(to: identity.changes).then(linked.old)
    }

    /// Drops pending changes that an unanswered personalize has overridden, now that the service has named the person.
    mutating func dropOld(_ user: InfobipUser) {
        let before = self.memory.depersonalization.isRequested ? nil : self.memory.user
        for personalize in self.memory.unanswered where personalize.hasHappened(to: user, before: before) {
            if self.memory.depersonalization.isRequested {
                self.memory.farewell = self.memory.farewell.without(personalize.old)
            } else {
                self.memory.userChanges = self.memory.userChanges.without(personalize.old)
            }
        }
        self.memory.unanswered = []
    }

    /// Ends the callers of a failed fetch, and those who wait for requests after it.
    mutating func endUnfetched(_ tickets: [Int], _ error: SignetError) -> [Action] {
        guard self.mayBeOld || self.memory.doubted != nil else { return self.end(tickets, .failure(error)) }
        return self.end(tickets, .failure(error)) + self.end(self.userTickets, .success(.pending)) + self.holdUp(error)
    }
}

extension InfobipMemory.Unanswered {
    /// True if a person shows it: they are the named one, and a value is so that was not.
    ///
    /// - Parameters:
    ///   - user: The person that the service has named.
    ///   - before: The previous person, as far as known.
    /// - Returns: True if it has happened; false if nothing shows it.
    func hasHappened(to user: InfobipUser, before: InfobipUser?) -> Bool {
        let lacking = user.lacking(self.said)
        guard !lacking.externalUserID.isTouched else { return false }
        let updates = self.said.without(self.known)
        if lacking.restricted(to: updates) != updates { return true }
        guard let before else { return false }
        let (said, old) = (self.said, self.old)
        return Self.isAdded(said.phones, to: old.phones, user.phones, before: before.phones) { $0.phoneDigits }
            || Self.isAdded(said.emails, to: old.emails, user.emails, before: before.emails) { $0.lowercased() }
    }

    /// A save replaces a list, and a personalize adds to it.
    ///
    /// A list with the values of both, not so before, shows that
    /// one followed the other.
    private static func isAdded(
        _ said: Patch<[String]>,
        to saved: Patch<[String]>,
        _ list: [String],
        before: [String],
        _ form: (String) -> String
    ) -> Bool {
        guard case .set(let said) = said, case .set(let saved) = saved else { return false }
        let (one, other) = (Set(said.map(form)), Set(saved.map(form)))
        let isNew = !other.isSubset(of: before.map(form)) && !one.isSubset(of: other)
        return isNew && one.union(other).isSubset(of: list.map(form))
    }
}

extension InfobipUserChanges {
    /// Removes the fields that others change.
    fileprivate mutating func leave(_ others: InfobipUserChanges) {
        self = self.without(self.restricted(to: others))
    }
}
