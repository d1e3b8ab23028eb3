// SPDX-License-Identifier: Apache-2.0

/// Limits on a criteria document and on the work of an evaluation.
package struct CriteriaLimits: Sendable, Hashable {
    /// The maximum length of a document, in bytes.
    package var bytes: Int
    /// The maximum number of criteria in a document.
    package var criteria: Int
    /// The maximum nesting of nodes, leaves included; at most 200.
    package var depth: Int
    /// The maximum number of nodes in a document, leaves included.
    package var nodes: Int
    /// The maximum number of queries in a document.
    package var queries: Int
    /// The maximum number of entries in one list of values.
    package var values: Int
    /// The maximum number of steps of one evaluation; a leaf takes at most a tenth of it on one record.
    package var work: Int

    /// Makes limits.
    package init(
        bytes: Int = 1 << 20,
        criteria: Int = 1000,
        depth: Int = 32,
        nodes: Int = 10_000,
        queries: Int = 20_000,
        values: Int = 10_000,
        work: Int = CriteriaCheck.workLimit
    ) {
        self.bytes = bytes
        self.criteria = criteria
        self.depth = min(depth, 200)
        self.nodes = nodes
        self.queries = queries
        self.values = values
        self.work = work
    }
}
