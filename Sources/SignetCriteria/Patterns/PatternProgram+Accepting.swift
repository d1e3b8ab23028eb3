// SPDX-License-Identifier: Apache-2.0

extension PatternProgram {
    func accepting(_ facts: ScalarFacts) -> [UInt64] {
        var accepting = Array(repeating: UInt64(0), count: self.words)
        let folded = facts.cases?.folded ?? facts.own.scalar
        for positions in [self.scalars[facts.own.scalar.value], self.foldedScalars[folded.value]] {
            for position in positions ?? [] {
                accepting[position / 64] |= 1 << UInt64(position % 64)
            }
        }
        // The loop is by index: a copy of each set would cost more than most lookups.
        for index in self.sets.indices where self.sets[index].set.contains(facts) {
            for word in accepting.indices {
                accepting[word] |= self.sets[index].positions[word]
            }
        }
        return accepting
    }
}
