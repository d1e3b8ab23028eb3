// SPDX-License-Identifier: Apache-2.0

/// An action on products (Events API v2, `ProductAction`).
public struct ProductAction: Sendable, Hashable {
    /// The kinds of action.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Put into the cart.
        case addToCart = "add_to_cart"
        /// Taken out of the cart.
        case removeFromCart = "remove_from_cart"
        /// A step of the checkout.
        case checkout
        /// A choice made during the checkout.
        case checkoutOption = "checkout_option"
        /// Clicked.
        case click
        /// Its page was looked at.
        case viewDetail = "view_detail"
        /// Bought.
        case purchase
        /// Given back for money.
        case refund
        /// Put on the wish list.
        case addToWishlist = "add_to_wishlist"
        /// Taken off the wish list.
        case removeFromWishlist = "remove_from_wish_list"
    }

    /// The kind of action.
    public var kind: Kind
    /// The products it applies to.
    public var products: [Product]
    /// Your id of the order.
    public var transactionID: String?
    /// The shop or partner that it came from.
    public var affiliation: String?
    /// The total amount of the order.
    public var total: Double?
    /// The tax within the total.
    public var tax: Double?
    /// The shipping cost within the total.
    public var shipping: Double?
    /// The coupon that was used.
    public var couponCode: String?
    /// The step of the checkout, from 1.
    public var checkoutStep: Int64?
    /// The choice made in the checkout.
    public var checkoutOptions: String?
    /// The list in which the products were shown.
    public var list: String?
    /// The place of that list.
    public var listSource: String?

    /// Makes an action; set further fields as needed.
    public init(_ kind: Kind, products: [Product] = [], transactionID: String? = nil, total: Double? = nil) {
        self.kind = kind
        self.products = products
        self.transactionID = transactionID
        self.total = total
    }
}

extension ProductAction: CustomStringConvertible, CustomReflectable {
    /// The kind and the number of products, without their details or prices.
    public var description: String {
        "ProductAction(\(self.kind.rawValue), \(self.products.count) products)"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["action": self.description])
    }
}

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
