// SPDX-License-Identifier: Apache-2.0

import Signet

/// The users who have left the installation, and for whom there was no token: the work of others goes before theirs.
///
/// Nothing of it is on disk: the next process asks for a token again.
struct TokenlessUsers: Sendable {
    /// A turn, whose tasks and records may change.
    private struct Name: Hashable {
        let born: UInt64
        let id: IterableUserID

        init(_ turn: IterableTurn) {
            self.born = turn.born
            self.id = turn.id
        }
    }

    private var turns: Set<Name> = []
    /// The pause before the next try, when there is no other work.
    private(set) var backOff = BackOff()
    private var error: SignetError?

    var isEmpty: Bool { self.turns.isEmpty }

    /// The reason for the pause; nil without one.
    var obstacle: LinkedObstacle? {
        guard self.backOff.failures > 0 else { return nil }
        return self.error.map { .token($0) }
    }

    func contains(_ turn: IterableTurn) -> Bool {
        !self.turns.isEmpty && self.turns.contains(Name(turn))
    }

    mutating func insert(_ turn: IterableTurn) {
        self.turns.insert(Name(turn))
    }

    /// Notes that a user has a token, or is gone.
    mutating func remove(_ turn: IterableTurn) {
        guard self.turns.remove(Name(turn)) != nil else { return }
        self.backOff.clear()
    }

    /// Forgets the turns that are over.
    mutating func keep(_ turns: [IterableTurn]) {
        if !self.turns.isEmpty { self.turns.formIntersection(turns.map { Name($0) }) }
    }

    /// Pauses before the next try.
    mutating func pause(_ error: SignetError, now: Duration, jitter: Double) {
        self.error = error
        self.backOff.fail(error, now: now, jitter: jitter)
    }

    /// Ends the pause: the app may have tokens again.
    mutating func tryAgain() {
        self.backOff.clear()
    }
}
