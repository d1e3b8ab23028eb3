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

    /// The number of records that must satisfy the queries.
    enum Quota: Sendable {
        /// So many records or more; at least 1.
        case atLeast(Int)
        /// So many records or more, and all records of the type, and the last record of all.
        ///
        /// It is that of a leaf directly under a `Not` under `.iOS`, where `Not` does not negate.
        case all(atLeast: Int)
    }

    let type: ByteText
    /// The way the queries are joined; ``Combinator/all`` under `.iOS`.
    let combinator: Combinator
    /// All queries in the order of the document.
    let queries: [CriteriaQuery]
    let quota: Quota
    /// The leaf's place in the document.
    let path: String

    /// Queries about an item of a purchase or a cart.
    let itemQueries: [CriteriaQuery]
    /// All other queries.
    let plainQueries: [CriteriaQuery]

    init(
        type: ByteText,
        combinator: Combinator,
        queries: [CriteriaQuery],
        quota: Quota,
        path: String
    ) {
        self.type = type
        self.combinator = combinator
        self.queries = queries
        self.quota = quota
        self.path = path
        self.itemQueries = queries.filter { $0.item != nil }
        self.plainQueries = queries.filter { $0.item == nil }
    }

    /// The number of records that must satisfy the queries; at least 1.
    var minimum: Int {
        switch self.quota {
        case .atLeast(let count), .all(let count): count
        }
    }
}
