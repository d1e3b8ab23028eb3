// SPDX-License-Identifier: Apache-2.0

/// Products that were shown in a list (Events API v2, `ProductImpression`).
public struct ProductImpression: Sendable, Hashable {
    /// The name of the list.
    public var list: String
    /// The products in the list.
    public var products: [Product]

    /// Makes an impression.
    public init(list: String, products: [Product]) {
        self.list = list
        self.products = products
    }
}
