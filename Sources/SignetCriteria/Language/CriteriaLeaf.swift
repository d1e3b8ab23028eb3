// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A condition on single records; enough of them must satisfy the queries, each by itself.
struct CriteriaLeaf: Sendable {
    /// The ways to join the queries of a leaf.
    enum Combinator: Sendable {
        /// One record satisfies all queries; those about items in one and the same item.
        case all
        /// One record satisfies at least one query.
        case any
        /// One record satisfies no query.
        case none
    }

    let type: ByteText
    /// The way the queries are joined; ``Combinator/all`` under `.iOS`.
    let combinator: Combinator
    /// All queries in the order of the document.
    let queries: [CriteriaQuery]
    /// The number of records that must satisfy the queries; at least 1.
    let minimum: Int
    /// True directly under a `Not` under `.iOS`, where `Not` does not negate.
    let isMarked: Bool
    /// The leaf's place in the document.
    let path: String

    /// Queries about an item of a purchase or a cart.
    let itemQueries: [CriteriaQuery]
    /// All other queries.
    let plainQueries: [CriteriaQuery]
    /// True if any of the other queries has a path to walk.
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
