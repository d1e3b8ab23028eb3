// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import SignetWire

@Suite struct CommerceLimitsTests {
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
        #expect(self.code(Purchase(transactionID: "t", total: 0, currency: "")) == .notACurrency)
        #expect(self.code(Product(id: "p", name: "")) == nil)
    }

    @Test func aPurchaseOverALimitIsNamed() {
        #expect(self.code(Purchase(transactionID: "", total: 1)) == .emptyField)
        #expect(self.code(Purchase(transactionID: Self.long, total: 1)) == .fieldTooLong)
        #expect(self.code(Purchase(transactionID: "t", total: 1, currency: Self.long)) == .notACurrency)
        #expect(self.code(Purchase(transactionID: "t", total: .nan)) == .numberNotFinite)
        #expect(self.code(Purchase(transactionID: "t", total: -.infinity)) == .numberNotFinite)
    }

    @Test func aProductOverALimitIsNamed() {
        #expect(self.code(Product(id: "")) == .emptyField)
        #expect(self.code(Product(id: Self.long)) == .fieldTooLong)
        #expect(self.code(Product(id: "p", name: Self.long)) == .fieldTooLong)
        #expect(self.code(Product(id: "p", price: .infinity)) == .numberNotFinite)
        #expect(self.code(Product(id: "p", quantity: .nan)) == .numberNotFinite)
    }

    @Test func theMessageNamesTheFieldAndTheProduct() {
        let purchase = Purchase(
            transactionID: "t",
            total: 1,
            products: [Product(id: "a"), Product(id: "b", price: .nan)]
        )
        #expect(
            EventLimits.violation(of: .purchase(purchase))?.message
                == "The price of product 1 is NaN; only finite numbers are allowed."
        )
        #expect(
            EventLimits.violation(of: .purchase(Purchase(transactionID: "", total: 1)))?.message
                == "The transaction id is empty; 1 to 4096 characters are allowed."
        )
    }

    @Test func promotionsAndImpressionsHaveTheSameLimits() {
        func code(_ commerce: Commerce) -> EventViolation.Code? { EventLimits.violation(of: .commerce(commerce))?.code }
        #expect(code(.promotions(.view, [Promotion(id: "p", position: Self.longest)])) == nil)
        #expect(code(.promotions(.click, [Promotion(id: "")])) == .emptyField)
        #expect(code(.promotions(.click, [Promotion(id: "p", creative: Self.long)])) == .fieldTooLong)
        #expect(code(.promotions(.view, Array(repeating: Promotion(id: "p"), count: 501))) == .tooManyProducts)
        #expect(code(.impressions([ProductImpression(list: "", products: [])])) == .emptyField)
        #expect(code(.impressions([ProductImpression(list: "l", products: [Product(id: "")])])) == .emptyField)
        let many = ProductImpression(list: "l", products: Array(repeating: Product(id: "p"), count: 501))
        #expect(code(.impressions([many])) == .tooManyProducts)
    }

    @Test(arguments: ["EU", "EURO", "E1R", "€UR", "eu ", "\n\n\n"])
    func aCurrencyHasThreeLetters(currency: String) {
        #expect(self.code(Purchase(transactionID: "t", total: 1, currency: currency)) == .notACurrency)
        #expect(self.code(Purchase(transactionID: "t", total: 1, currency: "chf")) == nil)
    }

    @Test func onlyOrdersNeedAnId() {
        for kind in ProductAction.Kind.allCases {
            let code = EventLimits.violation(of: .commerce(.action(ProductAction(kind))))?.code
            #expect(code == (kind == .purchase || kind == .refund ? .emptyField : nil))
        }
    }
}
