//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import Testing

@testable import SignetWire

@Suite struct PurchaseLimitsTests {
    static let long = String(repeating: "x", count: 4097)
    static let longest = String(repeating: "x", count: 4096)

    func code(_ product: Product) -> EventViolation.Code? {
        let purchase = Purchase(transactionID: "t", total: 1, products: [Product(id: "good"), product])
        return EventLimits.violation(of: .purchase(purchase))?.code
    }

    func code(_ purchase: Purchase) -> EventViolation.Code? {
        EventLimits.violation(of: .purchase(purchase))?.code
    }

    @Test func whatIsAtALimitPasses() {
        let product = Product(id: Self.longest, name: Self.longest, price: -1, quantity: 0)
        let purchase = Purchase(transactionID: Self.longest, total: -0.5, currency: "EUR", products: [product])
        #expect(self.code(purchase) == nil)
        #expect(self.code(Purchase(transactionID: "t", total: 0, currency: "")) == nil)
        #expect(self.code(Product(id: "p", name: "")) == nil)
    }

    @Test func aPurchaseOverALimitIsNamed() {
        #expect(self.code(Purchase(transactionID: "", total: 1)) == .emptyPurchaseField)
        #expect(self.code(Purchase(transactionID: Self.long, total: 1)) == .purchaseFieldTooLong)
        #expect(self.code(Purchase(transactionID: "t", total: 1, currency: Self.long)) == .purchaseFieldTooLong)
        #expect(self.code(Purchase(transactionID: "t", total: .nan)) == .purchaseNumberNotFinite)
        #expect(self.code(Purchase(transactionID: "t", total: -.infinity)) == .purchaseNumberNotFinite)
    }

    @Test func aProductOverALimitIsNamed() {
        #expect(self.code(Product(id: "")) == .emptyPurchaseField)
        #expect(self.code(Product(id: Self.long)) == .purchaseFieldTooLong)
        #expect(self.code(Product(id: "p", name: Self.long)) == .purchaseFieldTooLong)
        #expect(self.code(Product(id: "p", price: .infinity)) == .purchaseNumberNotFinite)
        #expect(self.code(Product(id: "p", quantity: .nan)) == .purchaseNumberNotFinite)
    }

    @Test func theMessageNamesTheFieldAndTheProduct() {
        let purchase = Purchase(
            transactionID: "t",
            total: 1,
            products: [Product(id: "a"), Product(id: "b", price: .nan)]
        )
        #expect(
            PurchaseLimits.violation(of: purchase)?.message
                == "The price of product 1 is NaN; only finite numbers are allowed."
        )
        #expect(
            PurchaseLimits.violation(of: Purchase(transactionID: "", total: 1))?.message
                == "The transaction id is empty; 1 to 4096 characters are allowed."
        )
    }
}
