// SPDX-License-Identifier: Apache-2.0

// Source: the JSON Schema of the Events API (mparticle.inbound.eventsapi.schema.json, draft-07). Stricter than it, as the
// JSON reference is: `environment` is required, a `custom_attributes` value is text. Null is accepted, since the schema
// allows it and the vendors' SDKs send it.
extension SchemaValidator {
    /// A batch; its events are checked one by one (``event(_:)``).
    static let batch = SchemaValidator.record(
        Record(
            members: [
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
    )

    private static let userIdentities = SchemaValidator.record(
        Record(members: Dictionary(uniqueKeysWithValues: IdentityName.takenEventsNames.map { ($0, .scalar) }))
    )

    private static let applicationInfo = SchemaValidator.record(
        Record(members: [
            "application_name": .scalar, "application_version": .scalar, "application_build_number": .scalar,
            "install_referrer": .scalar, "package": .scalar, "os": .scalar,
            "apple_search_ads_attributes": .map(.map(.scalar)),
        ])
    )

    private static let deviceInfo = SchemaValidator.record(
        Record(members: [
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
    )

    private static let batchContext = SchemaValidator.record(
        Record(
            members: [
                "data_plan": .record(
                    Record(members: ["plan_id": .string, "plan_version": .integer], required: ["plan_id"])
                ),
                "location": .location,
            ],
            isOpen: true
        )
    )

    private static let sourceInfo = SchemaValidator.record(
        Record(
            members: [
                "channel": .oneOf(["native", "javascript", "pixel", "desktop", "partner", "server_to_server"]),
                "partner": .scalar, "replay_request_id": .scalar, "replay_job_id": .scalar, "is_historical": .bool,
            ],
            required: ["channel"]
        )
    )

    private static let attributionInfo = SchemaValidator.record(
        Record(
            members: ["service_provider": .scalar, "publisher": .scalar, "campaign": .scalar],
            present: ["service_provider", "publisher", "campaign"]
        )
    )

    private static let consentState = SchemaValidator.record(
        Record(members: ["gdpr": .map(.consentPurpose), "ccpa": .map(.consentPurpose)])
    )

    private static let consentPurpose = SchemaValidator.record(
        Record(
            members: [
                "regulation": .scalar, "document": .scalar, "consented": .bool, "timestamp_unixtime_ms": .integer,
                "location": .scalar, "hardware_id": .scalar,
            ],
            required: ["consented", "timestamp_unixtime_ms"]
        )
    )

    static let location = SchemaValidator.record(
        Record(
            members: [
                "latitude": .number, "longitude": .number, "accuracy": .number, "dma_code": .integer,
                "country_code": .scalar, "region_code": .scalar, "postal_code": .scalar, "location_source": .scalar,
                "city_name": .scalar,
            ],
            required: ["latitude", "longitude"]
        )
    )
}
