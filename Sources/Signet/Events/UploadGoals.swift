//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What callers wait for: that everything up to an event was answered for.
struct UploadGoals: Sendable {
    private struct Goal: Sendable {
        /// The last event that counts.
        let limit: UInt64
        /// Installations that still have some.
        var remaining: Set<UInt32>
    }

    private var goals: [Int: Goal] = [:]
    private var nextNumber = 0

    /// Whether nobody waits.
    var isEmpty: Bool {
        self.goals.isEmpty
    }

    /// The numbers of all goals.
    var numbers: [Int] {
        Array(self.goals.keys)
    }

    /// The last event that any goal counts; 0 when nobody waits.
    var limit: UInt64 {
        self.goals.values.reduce(0) { max($0, $1.limit) }
    }

    /// Somebody waits.
    ///
    /// - Returns: The number of the goal.
    mutating func add(upTo limit: UInt64, _ remaining: Set<UInt32>) -> Int {
        defer { self.nextNumber += 1 }
        self.goals[self.nextNumber] = Goal(limit: limit, remaining: remaining)
        return self.nextNumber
    }

    /// Nobody waits for this one any more.
    mutating func remove(_ number: Int) {
        self.goals[number] = nil
    }

    /// The last event that a goal counts, and where such events are; nil when nobody waits for it.
    func find(_ number: Int) -> (limit: UInt64, installations: Set<UInt32>)? {
        self.goals[number].map { ($0.limit, $0.remaining) }
    }

    /// Something has changed on an installation.
    ///
    /// - Parameters:
    ///   - installation: Its number.
    ///   - oldest: Its oldest event that can be sent and has no answer; nil when there is none.
    mutating func update(_ installation: UInt32, oldest: UInt64?) {
        // A list of their own: while the dictionary is gone through, each change would copy it and its sets.
        for number in Array(self.goals.keys) {
            guard let limit = self.goals[number]?.limit else { continue }
            if let oldest, oldest <= limit {
                self.goals[number]?.remaining.insert(installation)
            } else {
                self.goals[number]?.remaining.remove(installation)
            }
        }
    }
}
