// SPDX-License-Identifier: Apache-2.0

import SignetTransport

extension CriteriaEvaluator {
    /// The result of each criterion, with its reasons.
    package var report: CriteriaReport {
        let last = self.last
        let isEmpty = self.matchesNothing
        let entries = self.criteria.criteria.map { criterion in
            var leaves: [CriteriaReport.Leaf] = []
            var notes: [String] = []
            self.visit(criterion.root, last, &leaves, &notes)
            return CriteriaReport.Entry(
                id: criterion.id,
                name: criterion.name,
                holds: !isEmpty && self.holds(criterion, last),
                leaves: leaves,
                notes: notes
            )
        }
        return CriteriaReport(
            dialect: self.criteria.dialect,
            matchedID: self.matchedID,
            entries: entries,
            skipped: self.criteria.skipped,
            work: self.work
        )
    }

    private func visit(
        _ node: CriteriaNode,
        _ last: Entry?,
        _ leaves: inout [CriteriaReport.Leaf],
        _ notes: inout [String]
    ) {
        switch node {
        case .and(let nodes), .or(let nodes), .not(let nodes):
            for node in nodes {
                self.visit(node, last, &leaves, &notes)
            }
        case .leaf(let index):
            let leaf = self.criteria.leaves[index]
            leaves.append(
                CriteriaReport.Leaf(
                    path: leaf.path,
                    type: leaf.type.text,
                    holds: self.holds(leaf: index, last),
                    count: self.tally.counts[index],
                    minimum: leaf.minimum,
                    notes: leaf.queries.compactMap { if case .never(let reason) = $0.test { reason } else { nil } }
                )
            )
        case .never(let reason):
            notes.append(reason)
        }
    }
}
