// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import SignetWire
import Testing

/// Each limit at its end and one beyond.
@Suite struct EventLimitsTableTests {
    struct Row: Sendable {
        let name: String
        let within: Event
        let beyond: Event
        let code: EventViolation.Code
    }

    private static func text(_ count: Int) -> String {
        String(repeating: "x", count: count)
    }

    private static func attributes(_ count: Int) -> Attributes {
        Attributes((0..<count).map { ("k\($0)", 1) })
    }

    private static func row<Given>(
        _ name: String,
        _ within: Given,
        _ beyond: Given,
        _ code: EventViolation.Code,
        _ event: (Given) -> Event
    ) -> Row {
        Row(name: name, within: event(within), beyond: event(beyond), code: code)
    }

    private static func with<Given>(_ key: WritableKeyPath<Event, Given>) -> (Given) -> Event {
        { given in
            var event = Event.custom("n")
            event[keyPath: key] = given
            return event
        }
    }

    private static func date(_ seconds: Double) -> Attributes {
        ["k": .date(Date(timeIntervalSince1970: seconds))]
    }

    static let names: [Row] = [
        row("event name", text(256), text(257), .nameTooLong) { .custom($0) },
        row("screen name", text(256), text(257), .nameTooLong) { .screen($0) },
        row("breadcrumb", text(256), text(257), .nameTooLong) { Event(content: .breadcrumb(label: $0)) },
        row("shortest name", "n", "", .emptyName) { .custom($0) },
        row("attribute count", 100, 101, .tooManyAttributes) { .custom("n", attributes: attributes($0)) },
        row("attribute key", text(256), text(257), .attributeKeyTooLong) { .custom("n", attributes: [$0: 1]) },
        row("attribute value", text(4096), text(4097), .attributeValueTooLong) {
            .custom("n", attributes: ["k": .string($0)])
        },
        row("list as text", 4092, 4093, .attributeValueTooLong) {
            .custom("n", attributes: ["k": [.string(text($0))]])
        },
        row("first moment", -62_135_596_800, -62_135_596_801, .dateOutOfRange) { .custom("n", attributes: date($0)) },
        row("last moment", 253_402_300_799.5, 253_402_300_800, .dateOutOfRange) { .custom("n", attributes: date($0)) },
        row("no moment", 0, .nan, .dateOutOfRange) { .custom("n", attributes: date($0)) },
        row("category", text(4096), text(4097), .fieldTooLong, with(\.category)),
        row("flags", 100, 101, .tooManyFlags) { count in
            with(\.customFlags)(Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", "v") }))
        },
        row("flag name", [text(256): "v"], [text(257): "v"], .fieldTooLong, with(\.customFlags)),
        row("flag value", ["k": text(4096)], ["k": text(4097)], .fieldTooLong, with(\.customFlags)),
        row("latitude", 90.0, 90.0.nextUp, .locationOutOfRange) {
            with(\.location)(Location(latitude: $0, longitude: 0))
        },
        row("longitude", -180.0, (-180.0).nextDown, .locationOutOfRange) {
            with(\.location)(Location(latitude: 0, longitude: $0))
        },
        row("lifetime value", .greatestFiniteMagnitude, .infinity, .numberNotFinite) {
            with(\.lifetimeValueChange)(LifetimeValueChange($0))
        },
        row("push action", text(100), text(101), .fieldTooLong) {
            .pushMessage(PushMessage(.action, token: "t", payload: "{}", actionIdentifier: $0))
        },
        row("currency", "eur", "euro", .notACurrency) {
            .commerce(.action(ProductAction(.click), currency: $0))
        },
        row("products", 500, 501, .tooManyProducts) {
            .commerce(.action(ProductAction(.click, products: Array(repeating: Product(id: "p"), count: $0))))
        },
        row("product attribute", "v", .null, .nullNotAllowed) {
            .commerce(.action(ProductAction(.click, products: [Product(id: "p", attributes: ["k": $0])])))
        },
    ]

    @Test func whatIsWithinALimitPassesAndWhatIsBeyondIsNamed() {
        for row in Self.names {
            #expect(EventLimits.violation(of: row.within) == nil, "\(row.name)")
            #expect(EventLimits.violation(of: row.beyond)?.code == row.code, "\(row.name)")
        }
    }

    // The platform drops all attributes of an event that has more than a hundred, those that Signet adds among them.
    @Test func whatTravelsAsAnAttributeCountsAsOne() {
        func code(_ count: Int, _ more: Attributes = [:]) -> EventViolation.Code? {
            var event = Event.custom("n", attributes: Self.attributes(count))
            for (key, value) in more { event.attributes[key] = value }
            event.category = "c"
            event.timing = Event.Timing(start: 0, duration: 1)
            return EventLimits.violation(of: event)?.code
        }
        #expect(code(98) == nil)
        #expect(code(99) == .tooManyAttributes)
        #expect(code(99, ["EventLength": 5]) == .tooManyAttributes)
        #expect(code(98, ["EventLength": 5, "$Category": "mine"]) == nil)
    }

    @Test func theMessageOfADateNamesTheAttributeOnly() {
        let event = Event.custom("n", attributes: ["born": .date(Date(timeIntervalSince1970: .infinity))])
        #expect(
            EventLimits.violation(of: event)?.message
                == "The value of attribute \"born\" is not a date in the years 1 to 9999."
        )
    }
}
