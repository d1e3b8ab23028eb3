// SPDX-License-Identifier: Apache-2.0

// The product actions that shops log most. `Event.commerce(_:attributes:)` takes all others, and several at once.
//
// Amounts and prices are in the event's currency: an ISO 4217 code such as `EUR`. Nothing is converted or rounded.
extension Event {
    /// Makes a purchase.
    ///
    /// ```swift
    /// let tea = Product(id: "t-1", price: 12.45, quantity: 2)
    /// try installation.log(.purchase("o-17", total: 24.90, currency: "EUR", products: [tea]))
    /// ```
    ///
    /// - Parameters:
    ///   - transactionID: Your id of the order.
    ///   - total: The amount that the customer paid.
    ///   - currency: The ISO 4217 code of the currency; nil sends none.
    ///   - products: The products that were bought, at most 500.
    ///   - attributes: The attributes.
    /// - Returns: The event.
    public static func purchase(
        _ transactionID: String,
        total: Double,
        currency: String? = nil,
        products: [Product] = [],
        attributes: Attributes = [:]
    ) -> Event {
        let purchase = Purchase(transactionID: transactionID, total: total, currency: currency, products: products)
        return .purchase(purchase, attributes: attributes)
    }

    /// Makes a refund.
    ///
    /// - Parameters:
    ///   - transactionID: Your id of the order.
    ///   - total: The amount that the customer got back, as a positive number.
    ///   - currency: The ISO 4217 code of the currency; nil sends none.
    ///   - products: The products that were given back, at most 500; none stands for the whole order.
    ///   - attributes: The attributes.
    /// - Returns: The event.
    public static func refund(
        _ transactionID: String,
        total: Double? = nil,
        currency: String? = nil,
        products: [Product] = [],
        attributes: Attributes = [:]
    ) -> Event {
        let action = ProductAction(.refund, products: products, transactionID: transactionID, total: total)
        return .commerce(.action(action, currency: currency), attributes: attributes)
    }

    /// Makes an event for a customer who looked at a product's page.
    ///
    /// - Parameters:
    ///   - product: The product.
    ///   - currency: The ISO 4217 code of the currency; nil sends none.
    ///   - attributes: The attributes.
    /// - Returns: The event.
    public static func viewed(_ product: Product, currency: String? = nil, attributes: Attributes = [:]) -> Event {
        .action(.viewDetail, product, currency, attributes)
    }

    /// Makes an event for a product that was put into the cart.
    ///
    /// - Parameters:
    ///   - product: The product; its ``Product/quantity`` is the number of pieces that were added.
    ///   - currency: The ISO 4217 code of the currency; nil sends none.
    ///   - attributes: The attributes.
    /// - Returns: The event.
    public static func addedToCart(
        _ product: Product,
        currency: String? = nil,
        attributes: Attributes = [:]
    ) -> Event {
        .action(.addToCart, product, currency, attributes)
    }

    /// Makes an event for a product that was taken out of the cart.
    ///
    /// - Parameters:
    ///   - product: The product; its ``Product/quantity`` is the number of pieces that were removed.
    ///   - currency: The ISO 4217 code of the currency; nil sends none.
    ///   - attributes: The attributes.
    /// - Returns: The event.
    public static func removedFromCart(
        _ product: Product,
        currency: String? = nil,
        attributes: Attributes = [:]
    ) -> Event {
        .action(.removeFromCart, product, currency, attributes)
    }

    /// Makes an event for a product that was put on the wish list.
    ///
    /// - Parameters:
    ///   - product: The product.
    ///   - currency: The ISO 4217 code of the currency; nil sends none.
    ///   - attributes: The attributes.
    /// - Returns: The event.
    public static func addedToWishlist(
        _ product: Product,
        currency: String? = nil,
        attributes: Attributes = [:]
    ) -> Event {
        .action(.addToWishlist, product, currency, attributes)
    }

    /// Makes an event for a product that was taken off the wish list.
    ///
    /// - Parameters:
    ///   - product: The product.
    ///   - currency: The ISO 4217 code of the currency; nil sends none.
    ///   - attributes: The attributes.
    /// - Returns: The event.
    public static func removedFromWishlist(
        _ product: Product,
        currency: String? = nil,
        attributes: Attributes = [:]
    ) -> Event {
        .action(.removeFromWishlist, product, currency, attributes)
    }

    /// Makes an event for the first step of a checkout.
    ///
    /// Later steps are ``commerce(_:attributes:)`` with ``ProductAction/checkoutStep``.
    ///
    /// - Parameters:
    ///   - products: The products in the cart, at most 500.
    ///   - total: The amount of the cart.
    ///   - currency: The ISO 4217 code of the currency; nil sends none.
    ///   - attributes: The attributes.
    /// - Returns: The event.
    public static func beganCheckout(
        _ products: [Product],
        total: Double? = nil,
        currency: String? = nil,
        attributes: Attributes = [:]
    ) -> Event {
        var action = ProductAction(.checkout, products: products, total: total)
        action.checkoutStep = 1
        return .commerce(.action(action, currency: currency), attributes: attributes)
    }

    private static func action(
        _ kind: ProductAction.Kind,
        _ product: Product,
        _ currency: String?,
        _ attributes: Attributes
    ) -> Event {
        .commerce(.action(ProductAction(kind, products: [product]), currency: currency), attributes: attributes)
    }
}
