//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension PatternProgram {
    /// The positions that take a scalar.
    func accepting(_ facts: ScalarFacts) -> [UInt64] {
        var answers: [Bool?] = Array(repeating: nil, count: self.sets.count)
        var set = Array(repeating: UInt64(0), count: self.words)
        for (position, index) in self.positions.enumerated() {
            let state = self.states[index]
            let takes: Bool
            switch state.kind {
            case .scalar: takes = state.argument == facts.scalar.value
            case .foldedScalar: takes = state.argument == facts.folded.value
            case .set:
                let number = Int(state.argument)
                let answer = answers[number] ?? self.sets[number].set.contains(facts, folds: self.sets[number].folds)
                answers[number] = answer
                takes = answer
            case .found, .split, .assertion: takes = false
            }
            if takes { set[position / 64] |= 1 << UInt64(position % 64) }
        }
        return set
    }
}
