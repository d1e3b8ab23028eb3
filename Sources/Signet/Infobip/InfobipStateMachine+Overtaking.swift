//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

// What a personalize says takes the place of what was saved before it: also when its answer is lost, and never when it has
// not happened. Which of both it was is seen in whoever the service names next.
extension InfobipStateMachine {
    /// How many without an answer are remembered; what is saved before a further one is sent after it, and is not lost.
    private static let most = 16

    /// A personalize is about to be sent, and may have no answer.
    ///
    /// - Parameters:
    ///   - said: What it says of the person.
    ///   - old: What waited to be saved of that, when it was asked for.
    /// - Returns: Whether it is remembered: where nothing could show that it has happened, it is taken for one that has not.
    mutating func beginPersonalize(_ said: InfobipUserChanges, old: InfobipUserChanges) -> Bool {
        // What an earlier one has said, too, is no sign of this one.
        let known = self.memory.unanswered.reduce(said.without(self.memory.user.lacking(said))) { known, earlier in
            known.then(said.without(InfobipUser().applying(earlier.said).lacking(said)))
        }
        let isShown = known != said || old.phones.isTouched || old.emails.isTouched
        guard isShown, self.memory.unanswered.count < Self.most else { return false }
        self.memory.unanswered.append(.init(said: said, known: known, old: old))
        return true
    }

    /// It was refused, or was not sent.
    mutating func forgetPersonalize(_ ended: UnderWay) {
        if ended.isRemembered, !self.memory.unanswered.isEmpty { self.memory.unanswered.removeLast() }
    }

    /// Whether what waits to be saved may be older than what the service has.
    var mayBeOld: Bool {
        self.memory.unanswered.contains { !$0.old.isEmpty }
    }

    /// What is saved now is not old, even if it is the same.
    mutating func renew(_ changes: InfobipUserChanges) {
        self.underWay?.old.leave(changes)
        self.memory.linked?.old.leave(changes)
        for index in self.urgent.indices { self.urgent[index].old.leave(changes) }
        for index in self.memory.unanswered.indices { self.memory.unanswered[index].old.leave(changes) }
    }

    /// The same of the installation.
    mutating func renew(_ changes: InfobipInstallationChanges) {
        if let underWay = self.underWay { self.underWay?.own = underWay.own.without(changes) }
        for index in self.urgent.indices { self.urgent[index].own = self.urgent[index].own.without(changes) }
    }

    /// What the service had already is to be saved again: who is to come has said newer things.
    mutating func makeOld(_ changes: InfobipUserChanges) {
        for index in self.urgent.indices {
            guard case .personalize(let personalization) = self.urgent[index].call else { continue }
            self.urgent[index].old = changes.restricted(to: personalization.changes).then(self.urgent[index].old)
        }
        guard let linked = self.memory.linked, let identity = linked.identity else { return }
        self.memory.linked?.old = changes.restricted(to: identity.changes).then(linked.old)
    }

    /// The service has said who the person is, and so which of those without an answer have happened.
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

    /// The person could not be fetched: who waits for what comes after that does not wait any longer.
    mutating func endUnfetched(_ tickets: [Int], _ error: SignetError) -> [Action] {
        guard self.mayBeOld || self.memory.doubted != nil else { return self.end(tickets, .failure(error)) }
        return self.end(tickets, .failure(error)) + self.end(self.userTickets, .success(.pending)) + self.holdUp(error)
    }
}

extension InfobipMemory.Unanswered {
    /// Whether anything of a person shows it: it is who was named, and something is so that was not.
    ///
    /// - Parameters:
    ///   - user: Who the service says it is.
    ///   - before: Who it was, as far as that is known.
    /// - Returns: Whether it has; where nothing tells, it has not.
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

    /// A save puts a list in the place of another, and a personalize adds to it: where both are in one list, that was not there
    /// before, the one has happened after the other.
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
    /// Leaves out what others change.
    fileprivate mutating func leave(_ others: InfobipUserChanges) {
        self = self.without(self.restricted(to: others))
    }
}
