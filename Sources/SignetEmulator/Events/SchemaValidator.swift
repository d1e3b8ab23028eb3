// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A validator of JSON values: the part of JSON Schema that the batch schema needs.
///
/// Null means "absent" as in the schema, except for `string`, `oneOf`, `oneOfScalars` and required members.
indirect enum SchemaValidator: Sendable {
    /// A text, a number or a truth value, which the schema names String.
    case scalar
    /// Text.
    case string
    /// A whole number.
    case integer
    /// Any number.
    case number
    /// True or false.
    case bool
    /// Text in the form of a UUID.
    case uuid
    /// One of some words.
    case oneOf(Set<String>)
    /// One of some words; a number counts as its digits.
    case oneOfScalars(Set<String>)
    /// A scalar, or an array of scalars.
    case scalarOrList
    /// An array of one shape.
    case list(SchemaValidator)
    /// An object with any names, and values of one shape.
    case map(SchemaValidator)
    /// An object with named members.
    case record(Record)
    /// Not checked.
    case anything

    /// The members of an object.
    struct Record: Sendable {
        var members: [String: SchemaValidator]
        /// Members that must be present and not null.
        var required: Set<String> = []
        /// Members that must be present, null or not.
        var present: Set<String> = []
        /// The shape of members of other names; nil if there may be none.
        var others: SchemaValidator?
    }

    /// An object with named members.
    static func object(
        _ members: [String: SchemaValidator],
        required: Set<String> = [],
        present: Set<String> = [],
        others: SchemaValidator? = nil
    ) -> SchemaValidator {
        .record(Record(members: members, required: required, present: present, others: others))
    }

    /// Returns the violation, which names the value by its path without repeating it; nil for a valid value.
    func violation(by value: JSONValue, at path: String) -> String? {
        switch self {
        case .string:
            value.string == nil ? "'\(path)' must be a string" : nil
        case .oneOf(let words):
            value.string.map(words.contains) ?? false ? nil : "'\(path)' must be one of \(words.sorted())"
        case .oneOfScalars(let words):
            value.scalarText.map(words.contains) ?? false ? nil : "'\(path)' must be one of \(words.sorted())"
        case .list(let element):
            Self.violation(inList: value, of: element, at: path)
        case .map(let element):
            Self.violation(inMap: value, of: element, at: path)
        case .record(let record):
            record.violation(by: value, at: path)
        case .scalarOrList:
            value.array == nil
                ? SchemaValidator.scalar.violation(by: value, at: path)
                : Self.violation(inList: value, of: .scalar, at: path)
        case .scalar, .integer, .number, .bool, .uuid, .anything:
            value.isNull || self.admits(value) ? nil : "'\(path)' must be \(self.noun)"
        }
    }

    private func admits(_ value: JSONValue) -> Bool {
        switch self {
        case .scalar: value.string != nil || value.number != nil || value.bool != nil
        case .integer: value.number?.int64 != nil
        case .number: value.number != nil
        case .bool: value.bool != nil
        case .uuid: value.string.map(Self.isUUID) ?? false
        default: true
        }
    }

    private var noun: String {
        switch self {
        case .integer: "an integer"
        case .number: "a number"
        case .bool: "true or false"
        case .uuid: "a UUID"
        default: "a string, a number or a Boolean"
        }
    }

    private static func violation(inList value: JSONValue, of element: SchemaValidator, at path: String) -> String? {
        if value.isNull {
            return nil
        }
        guard let items = value.array else { return "'\(path)' must be an array" }
        for (position, item) in items.enumerated() {
            if let violation = element.violation(by: item, at: "\(path)[\(position)]") {
                return violation
            }
        }
        return nil
    }

    // The names in a map are the customer's own words, so the message omits them.
    private static func violation(inMap value: JSONValue, of element: SchemaValidator, at path: String) -> String? {
        if value.isNull {
            return nil
        }
        guard let object = value.object else { return "'\(path)' must be an object" }
        for member in object {
            if let violation = element.violation(by: member.value, at: "\(path).*") {
                return violation
            }
        }
        return nil
    }

    private static func isUUID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.joined().allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"):
                    true
                default:
                    false
                }
            }
    }
}

extension SchemaValidator.Record {
    fileprivate func violation(by value: JSONValue, at path: String) -> String? {
        if value.isNull {
            return nil
        }
        guard let object = value.object else { return "'\(path)' must be an object" }
        if let missing = self.required.sorted().first(where: { object[$0]?.isNull ?? true }) {
            return "'\(path).\(missing)' is missing"
        }
        if let missing = self.present.sorted().first(where: { object[$0] == nil }) {
            return "'\(path).\(missing)' is missing"
        }
        for (name, member) in object {
            guard let shape = self.members[name] ?? self.others else {
                return "'\(path)' holds a member that is not documented"
            }
            if let violation = shape.violation(by: member, at: "\(path).\(name)") {
                return violation
            }
        }
        return nil
    }
}

// Source: the JSON Schema of the Events API (mparticle.inbound.eventsapi.schema.json, draft-07). Where the OpenAPI file is
// stricter, the schema counts: a `custom_attributes` value may be a number or a truth value, and `session_start` needs no
// `session_id`. Stricter than the schema, as the OpenAPI file is: `environment` is required. Null is accepted, since the
// schema allows it and the vendors' SDKs send it.
extension SchemaValidator {
    /// A batch; its events are checked one by one (``event(_:)``).
    static let batch = SchemaValidator.object(
        [
            "source_request_id": .scalar, "events": .list(.anything), "device_info": .deviceInfo,
            "application_info": .applicationInfo, "user_attributes": .map(.scalarOrList),
            "deleted_user_attributes": .list(.string), "user_identities": .userIdentities,
            "environment": .oneOf(["development", "production"]), "api_key": .scalar, "api_keys": .list(.string),
            "ip": .string, "integration_attributes": .map(.map(.scalar)), "context": .batchContext,
            "batch_context": .batchContext, "partner_identity": .scalar, "partner_identities": .map(.scalar),
            "source_info": .sourceInfo, "mp_deviceid": .uuid, "attribution_info": .attributionInfo,
            "timestamp_unixtime_ms": .integer, "batch_id": .integer, "mpid": .integer, "origin_mpid": .integer,
            "sdk_version": .scalar, "consent_state": .consentState, "job_id": .scalar,
        ],
        required: ["environment"]
    )

    private static let userIdentities = SchemaValidator.object(
        Dictionary(uniqueKeysWithValues: IdentityName.takenEventsNames.map { ($0, .scalar) })
    )

    private static let applicationInfo = SchemaValidator.object([
        "application_name": .scalar, "application_version": .scalar, "application_build_number": .scalar,
        "install_referrer": .scalar, "package": .scalar, "os": .scalar,
        "apple_search_ads_attributes": .map(.map(.scalar)),
    ])

    private static let deviceInfo = SchemaValidator.object([
        "brand": .scalar, "product": .scalar, "device": .scalar, "android_uuid": .scalar,
        "device_manufacturer": .scalar,
        "platform": .oneOf([
            "iOS", "Android", "web", "tvOS", "roku", "out_of_band", "alexa", "smart_tv", "fire_tv", "xbox",
        ]),
        "os_version": .scalar, "device_model": .scalar, "screen_height": .integer, "screen_width": .integer,
        "screen_dpi": .integer, "device_country": .scalar, "locale_language": .scalar, "locale_country": .scalar,
        "network_country": .scalar, "network_carrier": .scalar, "network_code": .scalar,
        "network_mobile_country_code": .scalar, "timezone_offset": .integer, "build_identifier": .scalar,
        "http_header_user_agent": .scalar, "ios_advertising_id": .uuid,
        "att_authorization_status": .oneOf(["authorized", "denied", "not_determined", "restricted"]),
        "att_timestamp_unixtime_ms": .integer, "push_token": .scalar, "cpu_architecture": .scalar,
        "is_tablet": .bool, "push_notification_sound_enabled": .bool, "push_notification_vibrate_enabled": .bool,
        "radio_access_technology": .scalar, "supports_telephony": .bool, "has_nfc": .bool,
        "bluetooth_enabled": .bool, "bluetooth_version": .scalar, "ios_idfv": .uuid,
        "android_advertising_id": .uuid, "build_version_release": .scalar, "limit_ad_tracking": .bool,
        "amp_id": .scalar, "is_dst": .bool, "roku_advertising_id": .uuid, "roku_publisher_id": .uuid,
        "microsoft_advertising_id": .scalar, "microsoft_publisher_id": .scalar, "fire_advertising_id": .uuid,
    ])

    private static let batchContext = SchemaValidator.object(
        [
            "data_plan": .object(
                ["plan_id": .string, "plan_version": .integer],
                required: ["plan_id"]
            ),
            "location": .location,
        ],
        others: .anything
    )

    private static let sourceInfo = SchemaValidator.object(
        [
            "channel": .oneOf(["native", "javascript", "pixel", "desktop", "partner", "server_to_server"]),
            "partner": .scalar, "replay_request_id": .scalar, "replay_job_id": .scalar, "is_historical": .bool,
        ],
        required: ["channel"]
    )

    private static let attributionInfo = SchemaValidator.object(
        ["service_provider": .scalar, "publisher": .scalar, "campaign": .scalar],
        present: ["service_provider", "publisher", "campaign"]
    )

    private static let consentState = SchemaValidator.object([
        "gdpr": .map(.consentPurpose), "ccpa": .map(.consentPurpose),
    ])

    private static let consentPurpose = SchemaValidator.object(
        [
            "regulation": .scalar, "document": .scalar, "consented": .bool, "timestamp_unixtime_ms": .integer,
            "location": .scalar, "hardware_id": .scalar,
        ],
        required: ["consented", "timestamp_unixtime_ms"]
    )

    static let location = SchemaValidator.object(
        [
            "latitude": .number, "longitude": .number, "accuracy": .number, "dma_code": .integer,
            "country_code": .scalar, "region_code": .scalar, "postal_code": .scalar, "location_source": .scalar,
            "city_name": .scalar,
        ],
        required: ["latitude", "longitude"]
    )
}
