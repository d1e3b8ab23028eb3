// SPDX-License-Identifier: Apache-2.0

/// What a user has answered in a simulation, as far as calls have returned.
struct ConsentAnswers: Sendable {
    /// The answers of which one counts: that of the last call that returned, and those that may have come after it.
    private(set) var possible: Set<Bool> = []
    private var inFlight = 0
    /// Whether calls are under way of which nobody knows the order.
    private var overlap = false

    /// A call begins.
    mutating func begin(_ isGiven: Bool) {
        self.overlap = self.overlap || self.inFlight > 0
        self.possible.insert(isGiven)
        self.inFlight += 1
    }

    /// A call ends; one that has failed may count.
    mutating func end(_ isGiven: Bool, hasFailed: Bool) {
        if !hasFailed, !self.overlap { self.possible = [isGiven] }
        self.inFlight -= 1
        if self.inFlight == 0 { self.overlap = false }
    }

    /// The process has died: calls under way may count, and never end.
    mutating func die() {
        self.inFlight = 0
        self.overlap = false
    }
}
