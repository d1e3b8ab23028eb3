// SPDX-License-Identifier: Apache-2.0

import Signet

extension IterableStateMachine {
    /// Handles an opt-out of the installation, or its end.
    ///
    /// An opt-out drops the undelivered records of the visitor and their users. Nothing is kept or sent until it ends.
    /// Users and their pending tasks stay. The service may have done a task in flight already, so its answer counts.
    ///
    /// - Parameter isOptedOut: True for an opt-out, false for its end.
    /// - Returns: The actions.
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
