// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The limits of a commerce event.
enum CommerceLimits {
    static func violation(of commerce: Commerce) -> EventViolation? {
        if let violation = Self.violation(ofSubjects: commerce) { return violation }
        if let currency = commerce.currency {
            guard currency.utf8.count == 3, currency.utf8.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }) else {
                return EventViolation(
                    .notACurrency,
                    "The currency is not an ISO 4217 code. Use three letters such as EUR."
                )
            }
        }
        return FieldLimits.violation(ofText: commerce.screen, "screen")
    }

    private static func violation(ofSubjects commerce: Commerce) -> EventViolation? {
        guard commerce.productAction != nil || commerce.promotionAction != nil || !commerce.impressions.isEmpty else {
            return EventViolation(
                .emptyField,
                "The commerce event is empty. Give it a product action, promotions or impressions."
            )
        }
        return commerce.productAction.flatMap { Self.violation(of: $0) }
            ?? commerce.promotionAction.flatMap { Self.violation(of: $0.promotions) }
            ?? Self.violation(of: commerce.impressions)
    }

    private static func violation(of promotions: [Promotion]) -> EventViolation? {
        Self.violation(ofCount: promotions.count, "promotions")
            ?? promotions.lazy.compactMap { promotion in
                FieldLimits.violation(ofText: promotion.id, "id of a promotion", mayBeEmpty: false)
                    ?? FieldLimits.violation(ofText: promotion.name, "name of a promotion")
                    ?? FieldLimits.violation(ofText: promotion.creative, "creative of a promotion")
                    ?? FieldLimits.violation(ofText: promotion.position, "position of a promotion")
            }.first
    }

    private static func violation(of impressions: [ProductImpression]) -> EventViolation? {
        Self.violation(ofCount: impressions.count, "impressions")
            ?? impressions.lazy.compactMap { impression in
                FieldLimits.violation(ofText: impression.list, "list of an impression", mayBeEmpty: false)
                    ?? Self.violation(of: impression.products)
            }.first
    }

    private static func violation(of action: ProductAction) -> EventViolation? {
        // An order without an id cannot be distinguished from another one.
        let needsID = action.kind == .purchase || action.kind == .refund
        if needsID, action.transactionID == nil {
            return FieldLimits.violation(ofText: "", "transaction id", mayBeEmpty: false)
        }
        return FieldLimits.violation(ofText: action.transactionID, "transaction id", mayBeEmpty: !needsID)
            ?? FieldLimits.violation(ofNumber: action.total, "total")
            ?? FieldLimits.violation(ofNumber: action.tax, "tax")
            ?? FieldLimits.violation(ofNumber: action.shipping, "shipping")
            ?? FieldLimits.violation(ofText: action.affiliation, "affiliation")
            ?? FieldLimits.violation(ofText: action.couponCode, "coupon code")
            ?? FieldLimits.violation(ofText: action.checkoutOptions, "checkout options")
            ?? FieldLimits.violation(ofText: action.list, "list")
            ?? FieldLimits.violation(ofText: action.listSource, "source of the list")
            ?? Self.violation(of: action.products)
    }

    private static func violation(of products: [Product]) -> EventViolation? {
        if let violation = Self.violation(ofCount: products.count, "products") { return violation }
        for (index, product) in products.enumerated() {
            if let violation = FieldLimits.violation(ofText: product.id, "id of product \(index)", mayBeEmpty: false)
                ?? FieldLimits.violation(ofText: product.name, "name of product \(index)")
                ?? FieldLimits.violation(ofText: product.brand, "brand of product \(index)")
                ?? FieldLimits.violation(ofText: product.category, "category of product \(index)")
                ?? FieldLimits.violation(ofText: product.variant, "variant of product \(index)")
                ?? FieldLimits.violation(ofText: product.couponCode, "coupon code of product \(index)")
                ?? FieldLimits.violation(ofNumber: product.price, "price of product \(index)")
                ?? FieldLimits.violation(ofNumber: product.quantity, "quantity of product \(index)")
                ?? FieldLimits.violation(ofNumber: product.total, "total of product \(index)")
                ?? Self.violation(of: product.attributes, ofProduct: index)
            {
                return violation
            }
        }
        return nil
    }

    // Unlike an attribute of an event, one of a product must be a text (Events API v2, `Product`).
    private static func violation(of attributes: Attributes, ofProduct index: Int) -> EventViolation? {
        if let violation = EventLimits.violation(of: attributes) { return violation }
        guard let key = attributes.first(where: { $0.value == .null })?.key else { return nil }
        return EventViolation(
            .nullNotAllowed,
            "Attribute \"\(PlainText.cleaned(key))\" of product \(index) is null; products have texts, numbers, "
                + "Booleans, dates and lists."
        )
    }

    private static func violation(ofCount count: Int, _ what: String) -> EventViolation? {
        guard count > EventLimits.productCount else { return nil }
        return EventViolation(
            .tooManyProducts,
            "The event has \(count) \(what); at most \(EventLimits.productCount) are allowed."
        )
    }
}
