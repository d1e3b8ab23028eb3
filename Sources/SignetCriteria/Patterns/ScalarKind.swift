// SPDX-License-Identifier: Apache-2.0

/// The kind of a scalar as a pattern distinguishes it; the same states take all scalars of one kind.
struct ScalarKind: Hashable {
    /// The distinguishing traits of one scalar.
    private struct Side: Hashable {
        /// The index of the scalar among the pattern's boundaries.
        let interval: Int
        let categoryBit: UInt32
        let isWord: Bool

        init(_ traits: ScalarTraits, _ boundaries: [UInt32]) {
            self.interval = ScalarKind.interval(of: traits.scalar, boundaries)
            self.categoryBit = traits.categoryBit
            self.isWord = traits.isWord
        }
    }

    private let own: Side
    private let lower: Side?
    private let upper: Side?
    private let folded: Int?

    /// The boundaries of the escape classes that are not categories.
    static let boundaries: [UInt32] = [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x85, 0x86, 0x2028, 0x202A]

    /// - Parameters:
    ///   - facts: The traits of the scalar.
    ///   - boundaries: The boundaries of the pattern, sorted.
    init(_ facts: ScalarFacts, _ boundaries: [UInt32]) {
        self.own = Side(facts.own, boundaries)
        self.lower = facts.cases.map { Side($0.lower, boundaries) }
        self.upper = facts.cases.map { Side($0.upper, boundaries) }
        self.folded = facts.cases.map { Self.interval(of: $0.folded, boundaries) }
    }

    private static func interval(of scalar: Unicode.Scalar, _ boundaries: [UInt32]) -> Int {
        var (low, high) = (0, boundaries.count)
        while low < high {
            let middle = (low + high) / 2
            if boundaries[middle] <= scalar.value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
