//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Which criterion holds, and why, leaf by leaf; without anything that the visitor did.
package struct CriteriaReport: Sendable, Hashable {
    /// What became of a leaf.
    package struct Leaf: Sendable, Hashable {
        /// Where it stands in the document.
        package let path: String
        /// The type of the records that it looks at.
        package let type: String
        /// Whether it holds.
        package let holds: Bool
        /// How many records satisfy it.
        package let count: Int
        /// How many must.
        package let minimum: Int
        /// What the dialect cannot read of it, such as an unsupported pattern.
        package let notes: [String]
    }

    /// What became of a criterion.
    package struct Entry: Sendable, Hashable {
        /// Its id.
        package let id: String
        /// Its name.
        package let name: String
        /// Whether it holds.
        package let holds: Bool
        /// Its leaves in the order of the document.
        package let leaves: [Leaf]
        /// What the dialect cannot read of its tree.
        package let notes: [String]
    }

    /// How the criteria were read.
    package let dialect: CriteriaDialect
    /// The id of the first criterion that holds.
    package let matchedID: String?
    /// All criteria in the order of the document.
    package let entries: [Entry]
    /// Why criteria of the document were left out.
    package let skipped: [CriteriaError]
    /// How many steps of work it took; see ``CriteriaLimits/work``.
    package let work: Int
}

extension CriteriaReport: CustomStringConvertible {
    /// One line a criterion, and one a leaf or note below it.
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
