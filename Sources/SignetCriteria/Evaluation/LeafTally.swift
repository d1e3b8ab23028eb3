//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// How many records each leaf is satisfied by, and how many there are of each type.
struct LeafTally: Sendable {
    /// By leaf.
    private(set) var counts: [Int]
    /// By type, without records that leaves pass over.
    private(set) var totals: [ByteText: Int] = [:]
    /// How many records each leaf has not looked at to the end; only leaves with any.
    private(set) var undecided: [Int: Int] = [:]

    init(leaves: Int) {
        self.counts = Array(repeating: 0, count: leaves)
    }

    mutating func add(_ entry: CriteriaEvaluator.Entry) {
        self.change(entry, by: 1)
    }

    mutating func remove(_ entry: CriteriaEvaluator.Entry) {
        self.change(entry, by: -1)
    }

    private mutating func change(_ entry: CriteriaEvaluator.Entry, by difference: Int) {
        guard let type = entry.type, !entry.isHidden else { return }
        self.totals[type, default: 0] += difference
        entry.leaves.visit { self.counts[$0] += difference }
        entry.undecided?.visit { leaf in
            let count = self.undecided[leaf, default: 0] + difference
            self.undecided[leaf] = count == 0 ? nil : count
        }
    }
}
