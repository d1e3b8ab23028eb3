// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@testable import SignetEmulator

struct EventShapeTests {
    /// The least that each type needs, by the documentation.
    static let least: [String: JSONObject] = [
        "session_start": [:],
        "session_end": ["session_duration_ms": 1],
        "screen_view": ["screen_name": "Home"],
        "custom_event": ["custom_event_type": "navigation", "event_name": "Go"],
        "crash_report": ["severity": "error", "message": nil],
        "opt_out": ["is_opted_out": true],
        "first_run": [:],
        "uninstall": [:],
        "pre_attribution": [:],
        "push_reaction": [:],
        "push_registration": ["register": true, "registration_token": "t"],
        "application_state_transition": ["application_transition_type": "application_initialized"],
        "push_message": [
            "push_message_token": "t", "push_message_type": "received", "push_notification_payload": "p",
        ],
        "network_performance": ["url": "https://h", "response_code": 200],
        "breadcrumb": ["label": "l"],
        "profile": ["previous_mpid": 1, "current_mpid": 2, "profile_event_type": "login"],
        "commerce_event": [:],
        "user_attribute_change": ["user_attribute_name": "plan", "new": "gold", "old": nil],
        "user_identity_change": [
            "new": ["identity_type": "email", "identity": "e", "timestamp_unixtime_ms": 1], "old": nil,
        ],
    ]

    private static func status(_ type: String, _ data: JSONObject) async -> Int {
        let event: JSONValue = ["event_type": .string(type), "data": .object(data)]
        let batch: JSONValue = ["environment": "development", "mpid": 1, "events": [event]]
        return await Platform().post("/v2/events", batch).status
    }

    @Test func theTableHasEveryType() {
        #expect(Self.least.count == 19)
        #expect(Set(Self.least.keys) == Set(SchemaValidator.eventData.keys))
    }

    @Test func theLeastIsEnough() async {
        for (type, data) in Self.least {
            #expect(await Self.status(type, data) == 202, "\(type)")
        }
    }

    @Test func lessThanTheLeastIsNot() async {
        for (type, data) in Self.least {
            for key in data.keys {
                var less = data
                less[key] = nil
                #expect(await Self.status(type, less) == 400, "\(type) without \(key)")
            }
        }
    }

    static let bad: [(type: String, changes: JSONObject)] = [
        ("session_start", ["session_id": "1"]),
        ("session_end", ["session_duration_ms": 1.5]),
        ("screen_view", ["screen_name": 1]), ("screen_view", ["custom_flags": ["a": []]]),
        ("custom_event", ["custom_event_type": "purchase"]), ("custom_event", ["event_name": nil]),
        ("opt_out", ["is_opted_out": "yes"]),
        ("push_registration", ["registration_token": nil]),
        ("application_state_transition", ["application_transition_type": "application_started"]),
        ("push_message", ["push_message_type": "lost"]), ("push_message", ["application_state": ["background"]]),
        ("push_message", ["push_message_behavior": [:]]),
        ("network_performance", ["response_code": "200"]),
        ("profile", ["profile_event_type": "forget"]),
        ("commerce_event", ["product_action": ["action": "buy"]]),
        ("commerce_event", ["product_action": ["action": "remove_from_wishlist"]]),
        ("commerce_event", ["product_action": ["total_amount": 1]]),
        ("commerce_event", ["product_action": ["action": "purchase", "total": 1]]),
        ("commerce_event", ["product_action": ["action": "purchase", "total_amount": "1"]]),
        ("commerce_event", ["product_action": ["action": "purchase", "products": [["id": 1]]]]),
        ("commerce_event", ["product_action": ["action": "purchase", "products": [["custom_attributes": ["a": 1]]]]]),
        ("commerce_event", ["promotion_action": ["action": "view", "promotions": [["size": "xl"]]]]),
        ("commerce_event", ["product_impressions": [["products": []]]]),
        ("commerce_event", ["shopping_cart": [:]]),
        ("user_identity_change", ["new": ["identity_type": "customerid"]]),
        ("user_identity_change", ["new": ["identity_type": "email", "identity": "e"]]),
        ("first_run", ["session_uuid": "1"]), ("first_run", ["session_id": true]),
        ("first_run", ["timestamp_unixtime_ms": "now"]), ("first_run", ["source_message_id": 5]),
        ("first_run", ["custom_attributes": ["a": ["b"]]]), ("first_run", ["custom_attributes": ["a": [:]]]),
        ("first_run", ["custom_attributes": []]), ("first_run", ["location": ["latitude": 1]]),
        ("first_run", ["device_current_state": ["cpu_load": 1]]),
        ("first_run", ["device_current_state": ["device_orientation": ["portrait"]]]),
        ("first_run", ["device_current_state": ["status_bar_orientation": [:]]]),
        ("first_run", ["event_system_notification_info": ["type": "updates"]]),
    ]

    @Test func whatTheSchemaForbidsIsRefused() async {
        for (type, changes) in Self.bad {
            var data = Self.least[type] ?? JSONObject()
            for (key, value) in changes {
                data[key] = value
            }
            #expect(await Self.status(type, data) == 400, "\(type) \(changes.keys)")
        }
    }

    /// The vendor's sample has the first; draft-07 ignores an `enum` beside `$ref`, and so do validators.
    @Test(
        arguments: [
            ("first_run", ["device_current_state": ["device_orientation": "unknown"]]),
            ("first_run", ["device_current_state": ["status_bar_orientation": "unknown"]]),
            ("push_message", ["application_state": "asleep"]), ("push_message", ["push_message_behavior": "Ignored"]),
        ] as [(String, JSONObject)]
    )
    func aWordListBesideAReferenceBindsNobody(type: String, changes: JSONObject) async {
        var data = Self.least[type] ?? JSONObject()
        for (key, value) in changes { data[key] = value }
        #expect(await Self.status(type, data) == 202)
    }

    @Test func anAttributeOfAnEventMayBeNullButNotOneOfAProduct() async {
        #expect(await Self.status("first_run", ["custom_attributes": ["a": nil]]) == 202)
        let product: JSONValue = ["id": "p", "custom_attributes": ["a": nil]]
        let action: JSONValue = ["action": "purchase", "products": [product]]
        #expect(await Self.status("commerce_event", ["product_action": action]) == 400)
    }

    @Test func anEnvelopeIsATypeAndData() async {
        let events: [JSONValue] = [
            nil, [], "session_start", [:], ["event_type": "first_run"], ["data": [:]],
            ["event_type": "first_run", "data": nil], ["event_type": "first_run", "data": []],
            ["event_type": "party", "data": [:]], ["event_type": 1, "data": [:]],
            ["event_type": "first_run", "data": [:], "mpid": 1],
        ]
        for event in events {
            let batch: JSONValue = ["environment": "development", "mpid": 1, "events": [event]]
            #expect(await Platform().post("/v2/events", batch).status == 400, "\(event)")
        }
    }

    @Test func aFullPurchaseIsTaken() async {
        let product: JSONValue = [
            "id": "p", "name": "Pen", "brand": nil, "category": "c", "variant": "v", "position": 1, "price": 1.5,
            "quantity": 2, "coupon_code": "c", "added_to_cart_time_ms": 1, "total_product_amount": 3.0,
            "custom_attributes": ["a": "b"],
        ]
        let data: JSONObject = [
            "currency_code": "EUR", "is_non_interactive": false,
            "product_action": [
                "action": "purchase", "transaction_id": "t", "total_amount": 3.0, "tax_amount": 0.5,
                "shipping_amount": 0, "coupon_code": "c", "affiliation": "a", "products": [product],
            ],
            "product_impressions": [["product_impression_list": "l", "products": [product]]],
            "promotion_action": ["action": "view", "promotions": [["id": "1", "name": "n", "position": "top"]]],
            "shopping_cart": ["products": [product]],
        ]
        #expect(await Self.status("commerce_event", data) == 202)
    }
}
