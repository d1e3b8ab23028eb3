// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport
import SignetWire

extension IterableStateMachine {
    /// Identifies the user.
    ///
    /// - Parameters:
    ///   - id: The name of the user.
    ///   - replays: True to give the visitor's records to the user.
    ///   - merges: True to merge an unknown user into them.
    ///   - mpid: The MPID of the installation's user.
    /// - Returns: The actions; none if the user is already in front of the installation.
    mutating func identify(_ id: IterableUserID, replays: Bool, merges: Bool, mpid: MPID? = nil) -> [Action] {
        // Iterable may refuse a change of the address: until it answers, no name is that of the user who is there.
        if let current = self.memory.current, current.id == id, !current.awaitsName {
            return current.isKnown ? [] : self.acknowledge(id, mpid)
        }
        self.interrupt { if case .activate = $0 { true } else { false } }
        var turn = IterableTurn(
            person: .known(id),
            from: self.memory.next,
            born: self.memory.next,
            tasks: [.awaitToken],
            mpid: mpid
        )
        let consent = self.memory.consentedAt.map { IterableTask.consent(at: $0, isKnown: true) }
        if let current = self.memory.current, !current.isKnown, merges, self.isEnabled {
            self.interrupt { $0.isOfVisitor }
            // Consent not yet sent for the unknown user is sent for the known one: they are the same by then.
            let isConsentDue = current.tasks.contains { if case .consent = $0 { true } else { false } }
            turn.tasks += [.merge(source: current.id.text)] + (isConsentDue ? [consent].compactMap(\.self) : [])
            turn.from = current.from
            self.remember { $0.turns.removeLast() }
        } else if self.memory.current != nil {
            self.endTurn()
            if replays, self.isEnabled { turn.tasks += [consent].compactMap(\.self) }
        } else if self.isEnabled, self.memory.consentedAt != nil {
            // The service may know the unknown user that was being made: it is made in any case, and merged.
            if let activation = self.memory.activation, merges {
                turn.tasks.append(.create(userID: activation.userID, criterion: activation.criterion))
                if id != .userID(activation.userID) { turn.tasks.append(.merge(source: activation.userID)) }
            }
            if replays {
                turn.from = self.memory.first
                turn.tasks += [consent].compactMap(\.self)
            }
        }
        turn.tasks += [self.memory.registration].compactMap(\.self)
        turn.pausesTokens = self.memory.pausesTokens
        self.remember { memory in
            memory.pausesTokens = false
            memory.synced = .overruled(memory.synced, by: id.names)
            memory.activation = nil
            memory.reservedID = nil
            memory.turns.append(turn)
            memory.first = memory.next
        }
        _ = self.retireTurns()
        self.clearPause()
        return [.save] + self.sweep(.notReplayed) + [.reevaluate]
    }

    /// Accepts the UUID of the unknown user as the name of the known user.
    ///
    /// The service has that user already, so nothing is merged and pending work stays as it is.
    private mutating func acknowledge(_ id: IterableUserID, _ mpid: MPID?) -> [Action] {
        self.remember { memory in
            memory.synced = .overruled(memory.synced, by: id.names)
            memory.turns[memory.turns.count - 1].person = .known(id)
            memory.turns[memory.turns.count - 1].mpid = mpid
        }
        self.clearPause()
        guard case .known(let id) = self.state else { return [.save] }
        return [.save, .tell(.resolved(id))]
    }

    /// Logs the user out: their pending work is still sent as theirs, and new records are a visitor's.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: The actions.
    mutating func logout(now: Int64) -> [Action] {
        guard self.memory.current != nil else { return [] }
        self.endTurn()
        self.remember { memory in
            memory.synced = .overruled(memory.synced, by: nil)
            memory.first = memory.next
            memory.reservedID = nil
            memory.sessions = memory.consentedAt == nil ? nil : .init(total: 1, first: now, last: now)
        }
        _ = self.retireTurns()
        return [.save, .reevaluate] + self.farewell + (self.wantsCriteria ? [.fetchCriteria(.beginning)] : [])
    }

    /// Changes the user's address.
    ///
    /// - Returns: The actions; none for the address that was asked for last, and nil when there is no known user.
    mutating func changeEmail(_ email: String) -> [Action]? {
        guard let current = self.memory.current, current.isKnown else { return nil }
        if let asked = current.askedEmail, ByteText.isSame(asked, email) { return [] }
        self.remember { $0.turns[$0.turns.count - 1].tasks.append(.changeEmail(email)) }
        return [.save]
    }

    /// Forgets everything, including consent.
    mutating func forget() -> [Action] {
        self.underWay = nil
        self.remember { memory in
            let next = memory.next
            memory = IterableMemory(first: next, next: next, low: memory.low)
        }
        return [.save] + self.sweep(.forgotten) + [.reevaluate, .forgetToken]
    }

    /// Forgets the erased users of the installation, with their pending work.
    mutating func forget(where isErased: (MPID) -> Bool) -> [Action] {
        func isTheirs(_ turn: IterableTurn) -> Bool { turn.mpid.map(isErased) ?? false }
        let isSynced = self.memory.synced?.mpid.map(isErased) ?? false
        guard isSynced || self.memory.turns.contains(where: isTheirs) else { return [] }
        self.interrupt {
            switch $0 {
            case .match, .activate: false
            case .task(_, let turn), .send(_, let turn): isTheirs(turn)
            }
        }
        let wasCurrent = self.memory.current.map(isTheirs) ?? false
        self.remember { memory in
            if isSynced { memory.synced = memory.synced?.forgotten }
            memory.turns.removeAll(where: isTheirs)
            if wasCurrent { memory.first = memory.next }
        }
        return [.save] + self.sweep(.forgotten) + [.reevaluate] + self.farewell
    }

    /// Forgets the tokens once no user has pending work.
    var farewell: [Action] { self.memory.turns.isEmpty ? [.forgetToken] : [] }

    private mutating func endTurn() {
        self.remember { memory in
            let index = memory.turns.count - 1
            memory.turns[index].end = memory.next
            if let token = memory.pushToken { memory.turns[index].tasks.append(.disable(token: token.token)) }
        }
        // The pause was for the token of a user who has left by now, and holds up no other.
        guard case .token? = self.lastObstacle, let turn = self.memory.turns.last else { return }
        self.tokenless.insert(turn)
        self.clearPause()
    }

    /// Discards the answer to the operation in flight; a merge may have been done all the same.
    mutating func interrupt(where isWanted: (Operation) -> Bool) {
        guard let operation = self.underWay?.operation, isWanted(operation) else { return }
        self.underWay = nil
        if case .task(.merge(let source), _) = operation { self.uncertainMerge = source }
    }

    /// Ends a pause, so that the next try is made at once.
    mutating func clearPause() {
        self.backOff.clear()
        self.lastObstacle = nil
    }

    /// Ends all pauses: the app may have tokens again, also for users who have left.
    mutating func tokensMayCome() {
        self.clearPause()
        self.tokenless.tryAgain()
    }
}
