//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// What a purchase may be at most.
///
/// The platform publishes no limits for these fields; they become attributes downstream, so the limits of attribute
/// values hold. A purchase without a transaction id, or a product without an id, cannot be told from another.
enum PurchaseLimits {
    static func violation(of purchase: Purchase) -> EventViolation? {
        if let violation = Self.violation(ofText: purchase.transactionID, "transaction id", mayBeEmpty: false)
            ?? Self.violation(ofNumber: purchase.total, "total")
            ?? Self.violation(ofText: purchase.currency, "currency")
        {
            return violation
        }
        for (index, product) in purchase.products.enumerated() {
            if let violation = Self.violation(ofText: product.id, "id of product \(index)", mayBeEmpty: false)
                ?? Self.violation(ofText: product.name, "name of product \(index)")
                ?? Self.violation(ofNumber: product.price, "price of product \(index)")
                ?? Self.violation(ofNumber: product.quantity, "quantity of product \(index)")
            {
                return violation
            }
        }
        return nil
    }

    private static func violation(
        ofText text: String?,
        _ field: @autoclosure () -> String,
        mayBeEmpty: Bool = true
    ) -> EventViolation? {
        guard let text else { return nil }
        guard mayBeEmpty || !text.isEmpty else {
            return EventViolation(
                .emptyPurchaseField,
                "The \(field()) is empty; 1 to \(EventLimits.valueLength) characters are allowed."
            )
        }
        guard let length = EventLimits.excess(of: text, over: EventLimits.valueLength) else { return nil }
        return EventViolation(
            .purchaseFieldTooLong,
            "The \(field()) has \(length) characters; at most \(EventLimits.valueLength) are allowed."
        )
    }

    private static func violation(ofNumber number: Double?, _ field: @autoclosure () -> String) -> EventViolation? {
        guard let number, !number.isFinite else { return nil }
        return EventViolation(
            .purchaseNumberNotFinite,
            "The \(field()) is \(EventLimits.name(ofNotFinite: number)); only finite numbers are allowed."
        )
    }
}
