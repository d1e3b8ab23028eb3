// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetModel

extension Chance {
    /// One event of each kind that an app can log.
    mutating func events() -> [Event] {
        let events: [Event] = [
            .custom(self.text(), type: Event.CustomType.all.randomElement(using: &self) ?? .other),
            .screen(self.text()),
            .purchase(Purchase(transactionID: self.text(), total: self.number(), products: self.products())),
            .commerce(self.action()), .commerce(self.promotions()), .commerce(self.impressions()),
            .commerce(self.together()),
            .crash(self.crash()), .networkPerformance(self.network()), .pushMessage(self.push()),
            .pushRegistration(PushRegistration(isRegistered: self.oneIn(2), token: "token")),
        ]
        return events.map { self.dressed($0) }
    }

    private mutating func dressed(_ event: Event) -> Event {
        var event = event
        for number in 0..<Int.random(in: 0...6, using: &self) {
            event.attributes["\(self.text()) \(number)"] = self.value()
        }
        event.category = self.oneIn(4) ? self.text() : nil
        if self.oneIn(4) {
            event.location = Location(latitude: 52.5, longitude: -13.4, accuracy: self.perhaps(10))
        }
        if self.oneIn(4) {
            event.lifetimeValueChange = LifetimeValueChange(self.number(), attribute: self.perhaps("spent"))
        }
        return event
    }

    /// An attribute.
    mutating func value() -> AttributeValue {
        switch Int.random(in: 0..<7, using: &self) {
        case 0: .string(self.text())
        case 1: .integer(Int64(bitPattern: self.next()))
        case 2: .double(self.number())
        case 3: .bool(self.oneIn(2))
        case 4: .date(Date(timeIntervalSince1970: Double(Int32.random(in: .min ... .max, using: &self))))
        case 5: .null
        default: [1, .string(self.text()), false, .null]
        }
    }

    /// A text that is not blank, as a name must be.
    private mutating func text() -> String {
        let characters: [Character] = [
            "a", "B", "7", " ", "é", "\"", "\\", "\n", "\u{1F600}", "\u{1}", "\u{2028}", "/",
        ]
        let count = Int.random(in: 1...30, using: &self)
        let text = String((0..<count).map { _ in characters.randomElement(using: &self) ?? "x" })
        return text.contains { !$0.isWhitespace } ? text : "a" + text
    }

    private mutating func number() -> Double {
        self.oneIn(4)
            ? Double.random(in: -1e30...1e30, using: &self)
            : Double(Int.random(in: 0...99999, using: &self)) / 100
    }

    private mutating func products() -> [Product] {
        (0..<Int.random(in: 0...3, using: &self)).map { number in
            Product(
                id: "p-\(number)",
                name: self.perhaps("Shoe"),
                brand: self.perhaps("B"),
                category: self.perhaps("C"),
                variant: self.perhaps("red"),
                position: self.perhaps(3),
                price: self.perhaps(29.99),
                quantity: self.perhaps(2),
                couponCode: self.perhaps("SALE"),
                total: self.perhaps(59.98),
                addedToCart: self.perhaps(Date(timeIntervalSince1970: 1_700_000_000)),
                attributes: self.oneIn(2) ? ["size": 43, "text": .string(self.text())] : [:]
            )
        }
    }

    private mutating func action() -> Commerce {
        let kind = ProductAction.Kind.allCases.randomElement(using: &self) ?? .click
        var action = ProductAction(kind, products: self.products(), transactionID: "t", total: self.perhaps(1.5))
        action.tax = self.perhaps(0.5)
        action.shipping = self.perhaps(2)
        action.affiliation = self.perhaps("web")
        action.couponCode = self.perhaps("SALE")
        action.checkoutStep = self.perhaps(2)
        action.checkoutOptions = self.perhaps("card")
        action.list = self.perhaps("results")
        action.listSource = self.perhaps("search")
        var commerce = Commerce.action(action, currency: self.perhaps("EUR"))
        commerce.screen = self.perhaps("Cart")
        commerce.isNonInteractive = self.oneIn(2)
        return commerce
    }

    private mutating func promotions() -> Commerce {
        let promotion = Promotion(
            id: "summer",
            name: self.perhaps("Summer"),
            creative: self.perhaps("banner"),
            position: self.perhaps("top")
        )
        return .promotions(self.oneIn(2) ? .view : .click, self.oneIn(4) ? [] : [promotion])
    }

    private mutating func impressions() -> Commerce {
        .impressions([ProductImpression(list: "Suggested", products: self.products())], currency: self.perhaps("EUR"))
    }

    private mutating func together() -> Commerce {
        let action = ProductAction(.click, products: self.products())
        let impression = ProductImpression(list: "Suggested", products: self.products())
        return Commerce(
            productAction: self.perhaps(action),
            promotionAction: Commerce.PromotionAction(.view, [Promotion(id: "summer")]),
            impressions: self.oneIn(2) ? [] : [impression],
            currency: self.perhaps("EUR")
        )
    }

    private mutating func crash() -> CrashReport {
        CrashReport(
            message: self.text(),
            className: self.perhaps("Cart.Fault"),
            severity: self.oneIn(2) ? .error : .fatal,
            isHandled: self.oneIn(2),
            stackTrace: self.perhaps("0 Cart\n1 main"),
            topmostContext: self.perhaps("POST /cart")
        )
    }

    private mutating func network() -> NetworkPerformance {
        NetworkPerformance(
            url: "https://example.com/cart",
            responseCode: 200,
            method: self.perhaps("GET"),
            elapsedMilliseconds: self.perhaps(42),
            bytesIn: self.perhaps(1000),
            bytesOut: self.perhaps(20)
        )
    }

    private mutating func push() -> PushMessage {
        PushMessage(
            PushMessage.Kind.allCases.randomElement(using: &self) ?? .sent,
            token: "token",
            payload: #"{"aps":{"alert":"hi"}}"#,
            message: self.perhaps("hi"),
            network: self.perhaps("wifi"),
            applicationState: self.perhaps(.background),
            actionIdentifier: self.perhaps("open"),
            behavior: self.perhaps(.directOpen)
        )
    }
}
