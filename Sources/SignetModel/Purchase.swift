// SPDX-License-Identifier: Apache-2.0

/// A completed purchase (Events API v2, `commerce_event` with the action `purchase`).
public struct Purchase: Sendable, Hashable {
    /// Your id of the order.
    public var transactionID: String
    /// The amount that the customer paid, in ``currency``.
    public var total: Double
    /// The ISO 4217 code of the currency, such as `EUR`.
    public var currency: String?
    /// The products that were bought.
    public var products: [Product]

    /// Makes a purchase.
    public init(transactionID: String, total: Double, currency: String? = nil, products: [Product] = []) {
        self.transactionID = transactionID
        self.total = total
        self.currency = currency
        self.products = products
    }
}

extension Purchase: CustomStringConvertible, CustomReflectable {
    /// The number of products, without their details or prices.
    public var description: String {
        "Purchase(\(self.products.count) products)"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["purchase": self.description])
    }
}

extension Purchase {
    /// The purchase as a commerce event.
    package var commerce: Commerce {
        let action = ProductAction(
            .purchase,
            products: self.products,
            transactionID: self.transactionID,
            total: self.total
        )
        return .action(action, currency: self.currency)
    }
}
