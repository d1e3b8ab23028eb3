// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The number of records that satisfy each leaf, and the number of records of each type.
struct LeafTally: Sendable {
    /// The number of satisfying records, by leaf.
    private(set) var counts: [Int]
    /// The number of records by type, without those that leaves skip.
    private(set) var totals: [ByteText: Int] = [:]
    /// The number of records on which each leaf ran out of work; only leaves with any.
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
        guard case .visible(let type) = entry.kind else { return }
        self.totals[type, default: 0] += difference
        entry.leaves.visit { self.counts[$0] += difference }
        entry.undecided?.visit { leaf in
            let count = self.undecided[leaf, default: 0] + difference
            self.undecided[leaf] = count == 0 ? nil : count
        }
    }
}

/// A set of leaf numbers.
struct LeafSet: Sendable, Hashable {
    private var words: [UInt64]

    init(capacity: Int) {
        self.words = Array(repeating: 0, count: (capacity + 63) / 64)
    }

    mutating func insert(_ leaf: Int) {
        self.words[leaf / 64] |= 1 << UInt64(leaf % 64)
    }

    func contains(_ leaf: Int) -> Bool {
        self.words[leaf / 64] & (1 << UInt64(leaf % 64)) != 0
    }

    func visit(_ body: (Int) -> Void) {
        for (index, word) in self.words.enumerated() {
            var rest = word
            while rest != 0 {
                body(index * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }
}
