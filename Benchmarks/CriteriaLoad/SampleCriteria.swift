// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTransport

/// Criteria and records as a shop has them.
enum SampleCriteria {
    /// A document; each criterion has a leaf about an event, one about a purchase and one about the user.
    static func document(criteria: Int) -> JSONValue {
        let sets = (0..<criteria).map { index -> JSONValue in
            let number = JSONValue.string("\(index)")
            let event = Self.leaf(
                "customEvent",
                [
                    Self.query("eventName", "Equals", .string("event-\(index % 10)")),
                    Self.query("event-\(index % 10).page.section", "Equals", number),
                    Self.query("price", "GreaterThanOrEqualTo", number),
                ]
            )
            let purchase = Self.leaf(
                "purchase",
                [
                    Self.query("shoppingCartItems.name", "Equals", .string("item-\(index)")),
                    Self.query("shoppingCartItems.price", "GreaterThan", "10"),
                ]
            )
            let user = Self.leaf("user", [Self.query("country", "MatchesRegex", "^(DE|FR|J[PQ])$")])
            let either: JSONValue = ["combinator": "Or", "searchQueries": [event, purchase]]
            return [
                "criteriaId": number, "name": "criterion", "createdAt": 1_700_000_000_000,
                "searchQuery": ["combinator": "And", "searchQueries": [either, user]],
            ]
        }
        return ["count": .number(JSONNumber(Int64(criteria))), "criteriaSets": .array(sets)]
    }

    /// A record; nine of ten are custom events, and nobody says where they live.
    static func record(_ number: Int) -> IterableRecord {
        let time = Int64(1_700_000_000 + number)
        guard number % 10 != 9 else {
            let item: JSONObject = ["id": "1", "name": .string("item-\(number % 60)"), "price": 12.5, "quantity": 1]
            return .purchase([item, item], total: JSONNumber(Int64(25)), at: time)
        }
        let page: JSONValue = ["section": .string("\(number % 60)"), "title": "Home"]
        return .customEvent(
            "event-\(number % 10)",
            dataFields: [
                "page": page, "price": .number(JSONNumber(Int64(number % 70))), "sale": true, "brand": "Acme",
            ],
            at: time
        )
    }

    private static func leaf(_ type: String, _ queries: [JSONValue]) -> JSONValue {
        [
            "dataType": .string(type), "searchCombo": ["combinator": "And", "searchQueries": .array(queries)],
        ]
    }

    private static func query(_ field: String, _ comparator: String, _ value: JSONValue) -> JSONValue {
        [
            "field": .string(field), "fieldType": "string", "comparatorType": .string(comparator), "value": value,
            "dataType": "customEvent",
        ]
    }
}
