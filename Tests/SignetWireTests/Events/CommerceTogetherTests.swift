// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTransport
import Testing

@testable import SignetWire

/// A product action, promotions and impressions in one event.
@Suite struct CommerceTogetherTests {
    private let action = ProductAction(.click, products: [Product(id: "shoe")])
    private let promotion = Commerce.PromotionAction(.view, [Promotion(id: "summer")])
    private let impression = ProductImpression(list: "Suggested", products: [Product(id: "sock")])

    private func data(_ commerce: Commerce) throws -> JSONValue {
        let bytes = EventBody.encode(.commerce(commerce), stamp: Samples.stamp)
        return try #require(try JSONReader.read(bytes)["data"])
    }

    @Test func allThreeTravelTogether() throws {
        let commerce = Commerce(
            productAction: self.action,
            promotionAction: self.promotion,
            impressions: [self.impression],
            currency: "EUR"
        )
        #expect(EventLimits.violation(of: .commerce(commerce)) == nil)
        let data = try self.data(commerce)
        #expect(data["product_action"]?["action"]?.string == "click")
        #expect(data["product_action"]?["products"]?.array?.first?["id"]?.string == "shoe")
        #expect(data["promotion_action"]?["action"]?.string == "view")
        #expect(data["promotion_action"]?["promotions"]?.array?.first?["id"]?.string == "summer")
        let list = data["product_impressions"]?.array?.first
        #expect(list?["product_impression_list"]?.string == "Suggested")
        #expect(list?["products"]?.array?.first?["id"]?.string == "sock")
        #expect(data["currency_code"]?.string == "EUR")
    }

    @Test func whatIsNotThereIsNotWritten() throws {
        var commerce = Commerce.action(self.action)
        commerce.promotionAction = self.promotion
        let data = try self.data(commerce)
        #expect(data["product_action"] != nil && data["promotion_action"] != nil)
        #expect(data["product_impressions"] == nil)
    }

    @Test func theLimitsHoldForEachPart() {
        func code(_ change: (inout Commerce) -> Void) -> EventViolation.Code? {
            var commerce = Commerce(
                productAction: self.action,
                promotionAction: self.promotion,
                impressions: [self.impression]
            )
            change(&commerce)
            return EventLimits.violation(of: .commerce(commerce))?.code
        }
        #expect(code { $0.productAction = ProductAction(.click, products: [Product(id: "")]) } == .emptyField)
        #expect(code { $0.promotionAction = Commerce.PromotionAction(.view, [Promotion(id: "")]) } == .emptyField)
        #expect(code { $0.impressions.append(ProductImpression(list: "", products: [])) } == .emptyField)
        #expect(
            code { $0.impressions = Array(repeating: self.impression, count: 501) } == .tooManyProducts
        )
    }

    @Test func anEventAboutNothingIsRefused() {
        #expect(EventLimits.violation(of: .commerce(Commerce()))?.code == .emptyField)
        #expect(EventLimits.violation(of: .commerce(.impressions([])))?.code == .emptyField)
        // Which promotions were clicked may be unknown.
        #expect(EventLimits.violation(of: .commerce(.promotions(.click, [])))?.code == nil)
    }

    @Test func itIsDescribedWithoutDetails() {
        let commerce = Commerce(
            productAction: self.action,
            promotionAction: self.promotion,
            impressions: [self.impression]
        )
        #expect(commerce.description == "Commerce(click, 1 products; view of 1 promotions; 1 impressions)")
        #expect(!String(reflecting: commerce).contains("shoe"))
    }
}
