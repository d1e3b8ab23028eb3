//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension IterableStateMachine {
    /// The installation has opted out, or in again.
    ///
    /// Out, what the visitor and their users did and nobody has told yet goes, and nothing is kept or told until it is over. Who is
    /// known, and whom the service is to be told of, stays as it is; what it was asked to do about them already is done, so its
    /// answer counts.
    ///
    /// - Parameter isOptedOut: Out or in.
    /// - Returns: What to do.
    mutating func setOptedOut(_ isOptedOut: Bool) -> [Action] {
        let wasOptedOut = self.isOptedOut
        self.isOptedOut = isOptedOut
        guard isOptedOut else { return wasOptedOut && self.wantsCriteria ? [.fetchCriteria(.beginning)] : [] }
        self.interrupt { if case .task = $0 { false } else { true } }
        guard !self.records.isEmpty || self.memory.activation != nil else { return [] }
        self.remember { memory in
            memory.activation = nil
            memory.first = memory.next
            for index in memory.turns.indices {
                memory.turns[index].from = memory.turns[index].end ?? memory.next
            }
        }
        let swept = self.sweep(.optedOut)
        _ = self.retireTurns()
        return [.save] + swept + [.reevaluate]
    }
}
