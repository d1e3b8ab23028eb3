// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport

import struct FoundationEssentials.Date

/// One event of each kind, with every field that it can have.
enum SampleEvents {
    static func all() throws -> [(name: String, event: Event)] {
        [
            ("custom-event", Self.custom), ("screen-view", .screen("Home", attributes: ["tab": 2])),
            ("commerce-purchase", Self.purchase), ("commerce-promotion", Self.promotion),
            ("commerce-impression", Self.impression), ("crash-report", Self.crash),
            ("breadcrumb", Event(content: .breadcrumb(label: "opened the cart"))),
            ("opt-out", Event(content: .optOut(true))), ("first-run", Event(content: .firstRun)),
            ("uninstall", Event(content: .uninstall)), ("application-state-transition", Self.transition),
            ("push-registration", .pushRegistration(PushRegistration(isRegistered: true, token: "token-1"))),
            ("push-message", Self.push), ("network-performance", Self.network),
            ("user-attribute-change", Self.attributeChange), ("user-identity-change", Self.identityChange),
            (
                "profile",
                Event(content: .user(.profile(.login, previous: try Samples.mpid(1), current: try Samples.mpid(-2))))
            ),
        ]
    }

    private static var custom: Event {
        var event = Event.custom(
            "level \"one\" \u{1F3C1}",
            type: .userContent,
            attributes: [
                "text": "é\n", "integer": -7, "double": 0.5, "bool": true,
                "date": .date(Date(timeIntervalSince1970: 1_700_000_000)), "null": .null, "list": [1, "two", false],
            ]
        )
        event.customFlags = ["Facebook.Flag": "a"]
        event.location = Location(latitude: 52.52, longitude: 13.405, accuracy: 10)
        event.lifetimeValueChange = LifetimeValueChange(1.25, attribute: "spent")
        event.category = "games"
        event.timing = Event.Timing(start: 1_699_999_999_000, duration: 1234)
        return event
    }

    private static let product = Product(
        id: "p-1",
        name: "Shoe",
        brand: "B",
        category: "C",
        variant: "red",
        position: 3,
        price: 29.99,
        quantity: 2,
        couponCode: "SALE",
        total: 59.98,
        addedToCart: Date(timeIntervalSince1970: 1_699_999_000),
        attributes: ["size": 43]
    )

    private static var purchase: Event {
        var action = ProductAction(.purchase, products: [Self.product], transactionID: "t-1", total: 65.97)
        action.tax = 5.99
        action.shipping = 0
        action.affiliation = "web"
        action.couponCode = "SALE"
        action.checkoutStep = 4
        action.checkoutOptions = "card"
        action.list = "results"
        action.listSource = "search"
        var commerce = Commerce.action(action, currency: "EUR")
        commerce.screen = "Checkout"
        return .commerce(commerce, attributes: ["gift": false])
    }

    private static var promotion: Event {
        let promotion = Promotion(id: "summer", name: "Summer", creative: "banner", position: "top")
        var commerce = Commerce.promotions(.view, [promotion])
        commerce.isNonInteractive = true
        return .commerce(commerce)
    }

    private static var impression: Event {
        .commerce(.impressions([ProductImpression(list: "Suggested", products: [Product(id: "a"), Product(id: "b")])]))
    }

    private static var crash: Event {
        var report = CrashReport(
            message: "index out of range",
            className: "Cart.Fault",
            severity: .fatal,
            isHandled: false,
            stackTrace: "0 Cart\n1 main",
            topmostContext: "POST /cart"
        )
        report.breadcrumbs = [Breadcrumb(label: "opened the cart", milliseconds: 1_699_999_999_000)]
        return .crash(report, attributes: ["items": 3])
    }

    private static var transition: Event {
        let transition = ApplicationStateTransition(
            .initialized,
            launch: .install,
            wasClosedInOrder: true,
            launchReferral: "app://cart"
        )
        return Event(content: .applicationState(transition))
    }

    private static var push: Event {
        let message = PushMessage(
            .action,
            token: "token-1",
            payload: #"{"aps":{"alert":"hi"}}"#,
            message: "hi",
            network: "wifi",
            applicationState: .background,
            actionIdentifier: "open"
        )
        return .pushMessage(message)
    }

    private static var network: Event {
        let request = NetworkPerformance(
            url: "https://example.com/cart",
            responseCode: 200,
            method: "GET",
            elapsedMilliseconds: 42,
            bytesIn: 1000,
            bytesOut: 20
        )
        return .networkPerformance(request)
    }

    private static var attributeChange: Event {
        Event(content: .user(.attributeChange(name: "level", old: 3, new: ["a", "b"])))
    }

    private static var identityChange: Event {
        let old = UserIdentityState(typeName: "email", value: "a@example.com", milliseconds: 1, isNew: false)
        let new = UserIdentityState(typeName: "email", value: nil, milliseconds: 1_700_000_000_000, isNew: true)
        return Event(content: .user(.identityChange(old: old, new: new)))
    }
}
