//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// A condition on single records: enough of them, each for itself, must satisfy the queries.
struct CriteriaLeaf: Sendable {
    /// How the queries of a leaf are joined.
    enum Combinator: Sendable {
        /// One record satisfies all; those about items in one and the same item.
        case all
        /// One record satisfies at least one.
        case any
        /// One record satisfies none.
        case none
    }

    /// The type of the records that it looks at.
    let type: ByteText
    /// How the queries are joined; ``Combinator/all`` under `.iOS`.
    let combinator: Combinator
    /// All queries in the order of the document.
    let queries: [CriteriaQuery]
    /// How many records must satisfy them; at least 1.
    let minimum: Int
    /// Whether it stands directly under a `Not` under `.iOS`, where that does not negate.
    let isMarked: Bool
    /// Where it stands in the document.
    let path: String

    /// Queries about an item of a purchase or a cart.
    let itemQueries: [CriteriaQuery]
    /// The others.
    let plainQueries: [CriteriaQuery]
    /// Whether any of the others has a path to walk.
    let walksPaths: Bool

    init(
        type: ByteText,
        combinator: Combinator,
        queries: [CriteriaQuery],
        minimum: Int,
        isMarked: Bool,
        path: String
    ) {
        self.type = type
        self.combinator = combinator
        self.queries = queries
        self.minimum = minimum
        self.isMarked = isMarked
        self.path = path
        self.itemQueries = queries.filter { $0.item != nil }
        self.plainQueries = queries.filter { $0.item == nil }
        self.walksPaths = self.plainQueries.contains(where: \.isPath)
    }
}
