// SPDX-License-Identifier: Apache-2.0

/// The goals of waiting callers: that all events up to a number are answered for.
struct UploadGoals: Sendable {
    private struct Goal: Sendable {
        /// The last event that counts.
        let limit: UInt64
        /// The only installation that counts; nil if all do.
        let only: UInt32?
        /// The installations that still have such events.
        var remaining: Set<UInt32>
    }

    private var goals: [Int: Goal] = [:]
    private var nextNumber = 0

    /// True when no caller waits.
    var isEmpty: Bool {
        self.goals.isEmpty
    }

    /// The last event that any goal counts; 0 when no caller waits.
    var limit: UInt64 {
        self.goals.values.reduce(0) { max($0, $1.limit) }
    }

    /// Adds a goal.
    ///
    /// - Parameters:
    ///   - limit: The last event that counts.
    ///   - only: The only installation that counts; nil if all do.
    ///   - remaining: The installations that have such events.
    /// - Returns: The number of the goal.
    mutating func add(upTo limit: UInt64, of only: UInt32? = nil, _ remaining: Set<UInt32>) -> Int {
        defer { self.nextNumber += 1 }
        self.goals[self.nextNumber] = Goal(limit: limit, only: only, remaining: remaining)
        return self.nextNumber
    }

    /// Removes a goal.
    mutating func remove(_ number: Int) {
        self.goals[number] = nil
    }

    /// Returns the last event that a goal counts and the installations with such events; nil if the goal is removed.
    func find(_ number: Int) -> (limit: UInt64, installations: Set<UInt32>)? {
        self.goals[number].map { ($0.limit, $0.remaining) }
    }

    /// Updates the goals after a change of an installation.
    ///
    /// - Parameters:
    ///   - installation: The number of the installation.
    ///   - oldest: Its oldest event that can be sent and has no answer; nil if there is none.
    mutating func update(_ installation: UInt32, oldest: UInt64?) {
        // Iterates over a copy of the keys: changes while iterating the dictionary would copy it and its sets.
        for number in Array(self.goals.keys) {
            guard let goal = self.goals[number], goal.only == nil || goal.only == installation else { continue }
            if let oldest, oldest <= goal.limit {
                self.goals[number]?.remaining.insert(installation)
            } else {
                self.goals[number]?.remaining.remove(installation)
            }
        }
    }
}
