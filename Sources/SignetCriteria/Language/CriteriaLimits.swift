//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// How much of a document of criteria is taken, and how much work an evaluation may be.
package struct CriteriaLimits: Sendable, Hashable {
    /// The most bytes of a document.
    package var bytes: Int
    /// The most criteria of a document.
    package var criteria: Int
    /// The most nodes inside each other, leaves included; at most 200.
    package var depth: Int
    /// The most nodes of a document, leaves included.
    package var nodes: Int
    /// The most queries of a document.
    package var queries: Int
    /// The most entries of one list of values.
    package var values: Int
    /// The most steps of work of one evaluation; no leaf takes more than a tenth of it on one record.
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
