// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The rules of the Events API's JSON schema for what we send, copied by hand: which members may and which must be
/// there, and of which type.
enum BatchRules {
    enum Kind {
        case text
        case integer
        case number
        case uuid
        case texts
        case values
        case oneOf([String])
        case nested(Object)
        case list(Object)
        case events
    }

    struct Object {
        let required: [String]
        let members: [String: Kind]
    }

    static let customEventTypes = [
        "navigation", "location", "search", "transaction", "user_content", "user_preference", "social", "other",
        "media",
    ]

    static let product = Object(
        required: [],
        members: ["id": .text, "name": .text, "price": .number, "quantity": .number]
    )

    static let productAction = Object(
        required: ["action"],
        members: [
            "action": .oneOf([
                "add_to_cart", "remove_from_cart", "checkout", "checkout_option", "click", "view_detail", "purchase",
                "refund", "add_to_wishlist", "remove_from_wish_list",
            ]),
            "transaction_id": .text, "total_amount": .number, "products": .list(Self.product),
        ]
    )

    /// What each kind of event has beyond the members of all events, required ones first.
    static let events: [String: Object] = [
        "session_start": Object(required: ["session_id"], members: [:]),
        "session_end": Object(required: ["session_duration_ms"], members: ["session_duration_ms": .integer]),
        "screen_view": Object(required: ["screen_name"], members: ["screen_name": .text]),
        "custom_event": Object(
            required: ["custom_event_type", "event_name"],
            members: ["custom_event_type": .oneOf(Self.customEventTypes), "event_name": .text]
        ),
        "commerce_event": Object(
            required: [],
            members: ["product_action": .nested(Self.productAction), "currency_code": .text]
        ),
    ]

    static let common: [String: Kind] = [
        "timestamp_unixtime_ms": .integer, "source_message_id": .text, "session_id": .integer, "session_uuid": .uuid,
        "session_start_unixtime_ms": .integer, "custom_attributes": .texts,
    ]

    static let identityNames: Set<String> = [
        "other", "customer_id", "facebook", "twitter", "google", "microsoft", "yahoo", "email", "alias",
        "facebook_custom_audience_id", "other_id_2", "other_id_3", "other_id_4", "other_id_5", "other_id_6",
        "other_id_7", "other_id_8", "other_id_9", "other_id_10", "mobile_number", "phone_number_2", "phone_number_3",
    ]

    static let batch = Object(
        required: ["environment"],
        members: [
            "source_request_id": .text, "events": .events, "user_attributes": .values,
            "user_identities": .nested(
                Object(
                    required: [],
                    members: Dictionary(uniqueKeysWithValues: Self.identityNames.map { ($0, Kind.text) })
                )
            ),
            "environment": .oneOf(["development", "production"]), "mp_deviceid": .uuid,
            "timestamp_unixtime_ms": .integer, "mpid": .integer, "sdk_version": .text,
        ]
    )

    /// Everything that is wrong with a batch; empty when nothing is.
    static func faults(inBatch bytes: [UInt8]) -> [String] {
        do {
            return Self.check(try JSONReader.read(bytes), Self.batch, "batch")
        } catch {
            return ["no JSON: \(error)"]
        }
    }

    /// Everything that is wrong with one event; empty when nothing is.
    static func faults(inEvent bytes: [UInt8]) -> [String] {
        do {
            return Self.check(event: try JSONReader.read(bytes), "event")
        } catch {
            return ["no JSON: \(error)"]
        }
    }

    private static func check(event: JSONValue, _ path: String) -> [String] {
        guard let type = event["event_type"]?.string, let rules = Self.events[type] else {
            return ["\(path): unknown event_type"]
        }
        guard let data = event["data"], event.object?.count == 2 else { return ["\(path): not event_type and data"] }
        let merged = Object(
            required: rules.required,
            members: rules.members.merging(Self.common) { own, _ in own }
        )
        return Self.check(data, merged, "\(path).\(type)")
    }

    private static func check(_ value: JSONValue, _ rules: Object, _ path: String) -> [String] {
        guard let object = value.object else { return ["\(path): not an object"] }
        var faults = rules.required.filter { object[$0] == nil }.map { "\(path): lacks \($0)" }
        for (key, member) in object {
            guard let kind = rules.members[key] else {
                faults.append("\(path): must not have \(key)")
                continue
            }
            faults += Self.check(member, kind, "\(path).\(key)")
        }
        return faults
    }

    private static func check(_ value: JSONValue, _ kind: Kind, _ path: String) -> [String] {
        switch kind {
        case .text:
            return value.string == nil ? ["\(path): no text"] : []
        case .integer:
            return value.number?.int64 == nil ? ["\(path): no integer"] : []
        case .number:
            return value.number?.double == nil ? ["\(path): no number"] : []
        case .uuid:
            return Self.isUUID(value.string ?? "") ? [] : ["\(path): no UUID"]
        case .texts:
            let members = value.object ?? ["": nil]
            return members.flatMap { Self.check($0.value, .text, "\(path).\($0.key)") }
        case .values:
            let members = value.object ?? ["": nil]
            return members.filter { $0.value.isNull || $0.value.array != nil || $0.value.object != nil }
                .map { "\(path).\($0.key): no value" }
        case .oneOf(let allowed):
            return allowed.contains(value.string ?? "") ? [] : ["\(path): not one of the allowed"]
        case .nested(let rules):
            return Self.check(value, rules, path)
        case .list(let rules):
            guard let list = value.array else { return ["\(path): no list"] }
            return list.enumerated().flatMap { Self.check($0.element, rules, "\(path)[\($0.offset)]") }
        case .events:
            guard let list = value.array else { return ["\(path): no list"] }
            return list.enumerated().flatMap { Self.check(event: $0.element, "\(path)[\($0.offset)]") }
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.joined().allSatisfy { $0.isASCII && $0.isHexDigit }
    }
}
