// SPDX-License-Identifier: Apache-2.0

import Signet

// Users who have left, and for whom there is no token: the work of others does not wait for them.
extension IterableStateMachine {
    /// The next operation of those who lack no token.
    var unhindered: Operation? {
        if let free = self.owed.free { return free }
        return self.isMatchDue && self.wantsCriteria ? .match : nil
    }

    /// True if the work of others goes before that of a user: they have left, and there was no token for them.
    func isTokenless(_ turn: IterableTurn) -> Bool {
        self.tokenless.contains(turn) && !self.isInFront(turn)
    }

    /// True if the user of a turn is in front of the installation, perhaps under another name.
    func isInFront(_ turn: IterableTurn) -> Bool {
        self.memory.current?.mayBe(turn) ?? false
    }

    /// True if the operation in flight is not to wait for the app: it has been called off, or it is of a user who has
    /// left, and others have work.
    var isWaitNeedless: Bool {
        guard let operation = self.underWay?.operation else { return true }
        guard let turn = self.turn(of: operation), !self.isInFront(turn) else { return false }
        var without = self
        without.tokenless.insert(turn)
        return without.unhindered != nil
    }

    /// Lets others go before a user who has left and has no token.
    ///
    /// - Returns: The actions.
    mutating func setAside(_ turn: IterableTurn) -> [Action] {
        self.tokenless.insert(turn)
        guard self.mergeToCome != self.memory.nextMerge else { return [] }
        self.remember { _ in }
        return [.save]
    }

    // MARK: - Pauses of the app

    /// True if the app has paused the requests for a user's token.
    func pausesTokens(of user: IterableIdentity) -> Bool {
        self.memory.turns.contains { $0.pausesTokens && $0.id.wire == user }
    }

    /// Pauses the requests for the tokens of all users, and of the next one if there is no user now.
    mutating func pauseTokens() -> [Action] {
        self.remember { memory in
            for index in memory.turns.indices { memory.turns[index].pausesTokens = true }
            memory.pausesTokens = memory.current == nil
        }
        return [.save]
    }

    /// Ends the pause of all users.
    mutating func resumeTokens() -> [Action] {
        self.tokensMayCome()
        return self.endPauses { _ in true }
    }

    /// Ends the pause of a user whose token the app has given.
    mutating func tokenGiven(to id: IterableUserID) -> [Action] {
        self.endPauses { $0.id == id }
    }

    private mutating func endPauses(where isTheirs: (IterableTurn) -> Bool) -> [Action] {
        let paused = self.memory.turns.filter { $0.pausesTokens && isTheirs($0) }
        guard self.memory.pausesTokens || !paused.isEmpty else { return [] }
        self.remember { memory in
            memory.pausesTokens = false
            for index in memory.turns.indices where isTheirs(memory.turns[index]) {
                memory.turns[index].pausesTokens = false
            }
        }
        return [.save]
    }
}
