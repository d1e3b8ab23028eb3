// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.Date

@Suite struct EventProductsTests {
    private let tea = Product(id: "t-1", price: 4.5, quantity: 2)

    private func action(_ event: Event) throws -> ProductAction {
        guard case .commerce(let commerce) = event.content else { throw NoCommerce() }
        return try #require(commerce.productAction)
    }

    private struct NoCommerce: Error {}

    @Test func eachFactoryIsItsActionOnItsProduct() throws {
        let events: [(Event, ProductAction.Kind)] = [
            (.viewed(self.tea), .viewDetail), (.addedToCart(self.tea), .addToCart),
            (.removedFromCart(self.tea), .removeFromCart), (.addedToWishlist(self.tea), .addToWishlist),
            (.removedFromWishlist(self.tea), .removeFromWishlist),
        ]
        for (event, kind) in events {
            let action = try self.action(event)
            #expect(action == ProductAction(kind, products: [self.tea]))
            #expect(event.attributes.isEmpty)
        }
        let viewed = Event.viewed(self.tea, currency: "EUR", attributes: ["shelf": 2])
        #expect(
            viewed
                == .commerce(
                    .action(ProductAction(.viewDetail, products: [self.tea]), currency: "EUR"),
                    attributes: ["shelf": 2]
                )
        )
    }

    @Test func ordersCarryTheirAmounts() throws {
        let purchase = Purchase(transactionID: "o-1", total: 9, currency: "EUR", products: [self.tea])
        #expect(Event.purchase("o-1", total: 9, currency: "EUR", products: [self.tea]) == .purchase(purchase))
        let refund = try self.action(.refund("o-1", total: 4.5, products: [self.tea]))
        #expect(refund == ProductAction(.refund, products: [self.tea], transactionID: "o-1", total: 4.5))
        let checkout = try self.action(.beganCheckout([self.tea], total: 9))
        #expect(checkout.kind == .checkout && checkout.checkoutStep == 1 && checkout.total == 9)
    }

    @Test func literalsAndVariablesMakeValues() {
        let (level, name, date) = (4, "Ann", Date(timeIntervalSince1970: 60))
        let attributes: Attributes = [
            "level": 4, "ratio": 0.5, "vip": true, "name": "Ann", "tags": ["a", "b"], "since": .date(date),
            "room": "room \(level)",
        ]
        #expect(attributes["level"] == AttributeValue(level) && attributes["name"] == AttributeValue(name))
        #expect(attributes["room"] == .string("room 4") && attributes["ratio"] == AttributeValue(0.5))
        #expect(attributes["since"] == AttributeValue(date) && attributes["since"] == .date(secondsSince1970: 60))
        #expect(attributes["tags"] == .list(["a", "b"]) && attributes["vip"] == AttributeValue(true))
    }
}
