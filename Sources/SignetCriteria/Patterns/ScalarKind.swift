//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What a pattern can tell a scalar from others by: scalars of one kind are taken by the same states.
struct ScalarKind: Hashable {
    /// Between which of the scalars that the pattern names it lies.
    let interval: Int
    let categoryBit: UInt32
    let isWord: Bool
    /// The scalar itself when it has cases and the pattern ignores case.
    let cased: Unicode.Scalar?

    /// Where the classes by escapes begin and end that are no categories.
    static let boundaries: [UInt32] = [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x85, 0x86, 0x2028, 0x202A]

    /// - Parameters:
    ///   - facts: What is known of the scalar.
    ///   - boundaries: The scalars at which something begins, sorted.
    init(_ facts: ScalarFacts, _ boundaries: [UInt32]) {
        var (low, high) = (0, boundaries.count)
        while low < high {
            let middle = (low + high) / 2
            if boundaries[middle] <= facts.scalar.value { low = middle + 1 } else { high = middle }
        }
        self.interval = low
        self.categoryBit = facts.categoryBit
        self.isWord = facts.isWord
        self.cased = facts.hasCases ? facts.scalar : nil
    }
}
