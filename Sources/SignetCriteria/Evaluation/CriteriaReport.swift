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

/// The criteria that hold, with reasons leaf by leaf and without any data of the visitor.
package struct CriteriaReport: Sendable, Hashable {
    /// The result of a leaf.
    package struct Leaf: Sendable, Hashable {
        /// The leaf's place in the document.
        package let path: String
        /// The type of the records that it looks at.
        package let type: String
        /// True if the leaf holds.
        package let holds: Bool
        /// The number of records that satisfy the leaf.
        package let count: Int
        /// The number of records that must satisfy it.
        package let minimum: Int
        /// The parts of the leaf that the dialect cannot read, such as an unsupported pattern.
        package let notes: [String]
    }

    /// The result of a criterion.
    package struct Entry: Sendable, Hashable {
        /// The criterion's id.
        package let id: String
        /// The criterion's name.
        package let name: String
        /// True if the criterion holds.
        package let holds: Bool
        /// Its leaves in the order of the document.
        package let leaves: [Leaf]
        /// The parts of the tree that the dialect cannot read.
        package let notes: [String]
    }

    /// The dialect in which the criteria were read.
    package let dialect: CriteriaDialect
    /// The id of the first criterion that holds.
    package let matchedID: String?
    /// All criteria in the order of the document.
    package let entries: [Entry]
    /// The faults of criteria that were left out.
    package let skipped: [CriteriaError]
    /// The number of steps of work that the evaluation took; see ``CriteriaLimits/work``.
    package let work: Int
}

extension CriteriaReport: CustomStringConvertible {
    /// The report as one line per criterion, followed by one per leaf or note.
    package var description: String {
        var lines = ["\(self.dialect.rawValue): \(self.matchedID.map { "criterion \($0) matches" } ?? "no match")"]
        for entry in self.entries {
            let name = entry.name.isEmpty ? "" : " (\(entry.name))"
            lines.append("  criterion \(entry.id)\(name): \(entry.holds ? "holds" : "does not hold")")
            for leaf in entry.leaves {
                let records = "\(leaf.count) of \(leaf.minimum) \(leaf.type) records"
                lines.append("    \(leaf.path): \(leaf.holds ? "holds" : "does not hold"), \(records)")
                lines += leaf.notes.map { "      \($0)" }
            }
            lines += entry.notes.map { "    \($0)" }
        }
        lines += self.skipped.map { "  skipped: \($0)" }
        return lines.joined(separator: "\n")
    }
}
