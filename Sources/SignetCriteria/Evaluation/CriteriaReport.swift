// SPDX-License-Identifier: Apache-2.0

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
