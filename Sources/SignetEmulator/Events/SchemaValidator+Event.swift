// SPDX-License-Identifier: Apache-2.0

// Source: the JSON Schema of the Events API (mparticle.inbound.eventsapi.schema.json, draft-07). The `data` of an event is
// open there; `EmulatedEvent.undocumentedMembers` has the names of the undocumented members.
//
// Five members have an `enum` beside their `$ref` there (`os`, the two orientations, `application_state`,
// `push_message_behavior`). Draft-07 ignores siblings of `$ref` (JSON Schema core, 8.3), and the vendor's own sample
// has a value outside its list (`device_orientation: "unknown"`), so any scalar is accepted.
extension SchemaValidator {
    /// The envelope of an event.
    static let event = SchemaValidator.object(
        ["event_type": .oneOf(Set(Self.eventData.keys)), "data": .anything],
        required: ["event_type", "data"]
    )

    /// The `data` of each type of event.
    static let eventData: [String: Record] = {
        let special: [String: Record] = [
            "session_start": Record(members: [:]),
            "session_end": Record(members: ["session_duration_ms": .integer], required: ["session_duration_ms"]),
            "screen_view": Record(
                members: ["screen_name": .string, "activity_type": .scalar, "custom_flags": .map(.scalar)],
                required: ["screen_name"]
            ),
            "custom_event": Record(
                members: [
                    "custom_event_type": .oneOf(Self.customEventTypes), "event_name": .string,
                    "custom_flags": .map(.scalar),
                ],
                required: ["custom_event_type", "event_name"]
            ),
            "crash_report": Self.crashReport,
            "opt_out": Record(members: ["is_opted_out": .bool], required: ["is_opted_out"]),
            "first_run": Record(members: [:]),
            "uninstall": Record(members: [:]),
            "pre_attribution": Record(members: [:]),
            "push_reaction": Record(members: [:]),
            "push_registration": Record(
                members: ["register": .bool, "registration_token": .string],
                required: ["register", "registration_token"]
            ),
            "application_state_transition": Self.applicationStateTransition,
            "push_message": Self.pushMessage,
            "network_performance": Record(
                members: [
                    "http_verb": .string, "url": .string, "time_elapsed": .integer, "bytes_in": .integer,
                    "bytes_out": .integer, "response_code": .integer, "data": .scalar,
                ],
                required: ["url", "response_code"]
            ),
            "breadcrumb": Record(members: ["session_number": .integer, "label": .string], required: ["label"]),
            "profile": Record(
                members: [
                    "previous_mpid": .integer, "current_mpid": .integer,
                    "profile_event_type": .oneOf(["signup", "login", "logout", "update", "delete"]),
                ],
                required: ["previous_mpid", "current_mpid", "profile_event_type"]
            ),
            "commerce_event": Self.commerceEvent,
            "user_attribute_change": Record(
                members: [
                    "user_attribute_name": .string, "new": .scalarOrList, "old": .scalarOrList, "deleted": .bool,
                    "is_new_attribute": .bool,
                ],
                required: ["user_attribute_name"],
                present: ["new", "old"]
            ),
            "user_identity_change": Record(
                members: ["new": .userIdentity, "old": .userIdentity],
                present: ["new", "old"]
            ),
        ]
        return special.mapValues { record in
            var record = record
            record.members.merge(Self.commonEventData) { special, _ in special }
            record.others = .anything
            return record
        }
    }()

    private static let commonEventData: [String: SchemaValidator] = [
        "timestamp_unixtime_ms": .integer, "event_id": .integer, "source_message_id": .string, "session_id": .integer,
        "session_uuid": .uuid, "session_start_unixtime_ms": .integer, "event_start_unixtime_ms": .integer,
        "custom_attributes": .map(.scalar), "location": .location, "device_current_state": .deviceCurrentState,
        "is_goal_defined": .bool, "lifetime_value_change": .number, "lifetime_value_attribute_name": .scalar,
        "data_connection_type": .scalar, "event_num": .integer, "view_controller": .scalar, "is_main_thread": .bool,
        "canonical_name": .scalar,
        "event_system_notification_info": .object(
            ["type": .oneOf(["gdpr_change"])],
            required: ["type"],
            others: .anything
        ),
    ]

    static let customEventTypes: Set<String> = [
        "navigation", "location", "search", "transaction", "user_content", "user_preference", "social", "other",
        "media",
    ]

    private static let crashReport = Record(
        members: [
            "breadcrumbs": .list(.anything), "class_name": .scalar, "severity": .scalar, "message": .scalar,
            "stack_trace": .scalar, "exception_handled": .bool, "topmost_context": .scalar,
            "pl_crash_report_file_base64": .scalar, "ios_image_base_address": .integer, "ios_image_size": .integer,
            "session_number": .integer,
        ],
        present: ["severity", "message"]
    )

    private static let applicationStateTransition = Record(
        members: [
            "successfully_closed": .bool, "is_first_run": .bool, "is_upgrade": .bool,
            "push_notification_payload": .scalar, "launch_referral": .scalar,
            "application_transition_type": .oneOf([
                "application_initialized", "application_exit", "application_background", "application_foreground",
            ]),
        ],
        required: ["application_transition_type"]
    )

    private static let pushMessage = Record(
        members: [
            "push_message_token": .scalar, "push_message_type": .oneOf(["sent", "received", "action"]),
            "message": .scalar, "network": .scalar, "push_notification_payload": .scalar,
            "application_state": .scalar, "action_identifier": .scalar, "push_message_behavior": .scalar,
        ],
        required: ["push_message_token", "push_message_type", "push_notification_payload"]
    )

    private static let userIdentity = SchemaValidator.object(
        [
            "identity_type": .oneOf(IdentityName.eventsNames), "identity": .scalar,
            "timestamp_unixtime_ms": .integer, "created_this_batch": .bool,
        ],
        required: ["identity_type", "timestamp_unixtime_ms"],
        present: ["identity"]
    )

    private static let deviceCurrentState = SchemaValidator.object([
        "time_since_start_ms": .integer, "battery_level": .number, "data_connection_type": .scalar,
        "data_connection_type_detail": .scalar, "gps_state": .bool, "total_system_memory_usage_bytes": .integer,
        "disk_space_free_bytes": .integer, "external_disk_space_free_bytes": .integer, "cpu": .scalar,
        "system_memory_available_bytes": .number, "system_memory_low": .bool,
        "system_memory_threshold_bytes": .number, "application_memory_available_bytes": .number,
        "application_memory_max_bytes": .number, "application_memory_total_bytes": .number,
        "device_orientation": .scalar, "status_bar_orientation": .scalar,
    ])
}

// Source: the JSON Schema of the Events API (mparticle.inbound.eventsapi.schema.json, draft-07). The OpenAPI file marks
// every member of a product and an action as required; the schema and the samples do not.
extension SchemaValidator {
    /// The `data` of a commerce event, without the members that all events have.
    static let commerceEvent = Record(members: [
        "product_action": .productAction, "promotion_action": .promotionAction,
        "product_impressions": .list(.productImpression),
        "shopping_cart": .object(
            ["products": .list(.product)],
            required: ["products"]
        ),
        "currency_code": .scalar, "screen_name": .string, "is_non_interactive": .bool, "event_name": .string,
        "custom_event_type": .oneOf(Self.customEventTypes.union(Self.commerceEventTypes)),
        "custom_flags": .map(.scalar),
    ])

    private static let commerceEventTypes: Set<String> = [
        "add_to_cart", "remove_from_cart", "checkout", "checkout_option", "click", "view_detail", "purchase", "refund",
        "promotion_view", "promotion_click", "add_to_wishlist", "remove_from_wishlist", "impression", "attribution",
        "consent_granted", "consent_denied",
    ]

    // As published, the action is spelt `remove_from_wish_list` and the event type `remove_from_wishlist`.
    static let productActions: Set<String> = [
        "add_to_cart", "remove_from_cart", "checkout", "checkout_option", "click", "view_detail", "purchase", "refund",
        "add_to_wishlist", "remove_from_wish_list",
    ]

    private static let productAction = SchemaValidator.object(
        [
            "action": .oneOf(Self.productActions),
            "checkout_step": .integer, "checkout_options": .scalar, "product_action_list": .scalar,
            "product_list_source": .scalar, "transaction_id": .string, "affiliation": .scalar,
            "total_amount": .number, "tax_amount": .number, "shipping_amount": .number, "coupon_code": .scalar,
            "products": .list(.product),
        ],
        required: ["action"]
    )

    private static let promotionAction = SchemaValidator.object(
        [
            "action": .oneOf(["view", "click"]),
            "promotions": .list(
                .object(["id": .string, "name": .string, "creative": .scalar, "position": .scalar]
                )
            ),
        ],
        required: ["action"]
    )

    private static let productImpression = SchemaValidator.object(
        ["product_impression_list": .string, "products": .list(.product)],
        required: ["product_impression_list", "products"]
    )

    private static let product = SchemaValidator.object(
        [
            "id": .string, "name": .string, "brand": .scalar, "category": .scalar, "variant": .scalar,
            "position": .integer, "price": .number, "quantity": .number, "coupon_code": .scalar,
            "added_to_cart_time_ms": .integer, "total_product_amount": .number,
            "custom_attributes": .map(.string),
        ],
        others: .anything
    )
}
