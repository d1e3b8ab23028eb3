// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date

/// A product of a commerce event (Events API v2, `Product`).
public struct Product: Sendable, Hashable {
    /// The id in your catalogue.
    public var id: String
    /// The name as shown.
    public var name: String?
    /// The maker.
    public var brand: String?
    /// The category of the product.
    public var category: String?
    /// The variant of the product, such as a colour.
    public var variant: String?
    /// The position in a list, from 1.
    public var position: Int64?
    /// The price of one piece, in the event's currency.
    public var price: Double?
    /// The number of pieces.
    public var quantity: Double?
    /// The coupon that was used for it.
    public var couponCode: String?
    /// The price of all pieces together.
    public var total: Double?
    /// The time at which it was put into the cart.
    public var addedToCart: Date?
    /// Further details; none of them may be null.
    public var attributes: Attributes

    /// Makes a product.
    public init(
        id: String,
        name: String? = nil,
        brand: String? = nil,
        category: String? = nil,
        variant: String? = nil,
        position: Int64? = nil,
        price: Double? = nil,
        quantity: Double? = nil,
        couponCode: String? = nil,
        total: Double? = nil,
        addedToCart: Date? = nil,
        attributes: Attributes = [:]
    ) {
        self.id = id
        self.name = name
        self.brand = brand
        self.category = category
        self.variant = variant
        self.position = position
        self.price = price
        self.quantity = quantity
        self.couponCode = couponCode
        self.total = total
        self.addedToCart = addedToCart
        self.attributes = attributes
    }
}
