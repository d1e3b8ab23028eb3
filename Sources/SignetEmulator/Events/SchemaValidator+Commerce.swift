// SPDX-License-Identifier: Apache-2.0

// Source: the JSON Schema of the Events API (mparticle.inbound.eventsapi.schema.json, draft-07). The OpenAPI file marks
// every member of a product and an action as required; the schema and the samples do not.
extension SchemaValidator {
    /// The `data` of a commerce event, without the members that all events have.
    static let commerceEvent = Record(members: [
        "product_action": .productAction, "promotion_action": .promotionAction,
        "product_impressions": .list(.productImpression),
        "shopping_cart": .record(Record(members: ["products": .list(.product)], required: ["products"])),
        "currency_code": .scalar, "screen_name": .string, "is_non_interactive": .bool, "event_name": .string,
        "custom_event_type": .oneOf(Self.customEventTypes.union(Self.commerceEventTypes)),
        "custom_flags": .map(.scalar),
    ])

    private static let commerceEventTypes: Set<String> = [
        "add_to_cart", "remove_from_cart", "checkout", "checkout_option", "click", "view_detail", "purchase", "refund",
        "promotion_view", "promotion_click", "add_to_wishlist", "remove_from_wishlist", "impression", "attribution",
        "consent_granted", "consent_denied",
    ]

    private static let productAction = SchemaValidator.record(
        Record(
            members: [
                // As published, the action is spelt `remove_from_wish_list` and the event type `remove_from_wishlist`.
                "action": .oneOf([
                    "add_to_cart", "remove_from_cart", "checkout", "checkout_option", "click", "view_detail",
                    "purchase", "refund", "add_to_wishlist", "remove_from_wish_list",
                ]),
                "checkout_step": .integer, "checkout_options": .scalar, "product_action_list": .scalar,
                "product_list_source": .scalar, "transaction_id": .string, "affiliation": .scalar,
                "total_amount": .number, "tax_amount": .number, "shipping_amount": .number, "coupon_code": .scalar,
                "products": .list(.product),
            ],
            required: ["action"]
        )
    )

    private static let promotionAction = SchemaValidator.record(
        Record(
            members: [
                "action": .oneOf(["view", "click"]),
                "promotions": .list(
                    .record(
                        Record(members: ["id": .string, "name": .string, "creative": .scalar, "position": .scalar])
                    )
                ),
            ],
            required: ["action"]
        )
    )

    private static let productImpression = SchemaValidator.record(
        Record(
            members: ["product_impression_list": .string, "products": .list(.product)],
            required: ["product_impression_list", "products"]
        )
    )

    private static let product = SchemaValidator.record(
        Record(
            members: [
                "id": .string, "name": .string, "brand": .scalar, "category": .scalar, "variant": .scalar,
                "position": .integer, "price": .number, "quantity": .number, "coupon_code": .scalar,
                "added_to_cart_time_ms": .integer, "total_product_amount": .number,
                "custom_attributes": .map(.string),
            ],
            isOpen: true
        )
    )
}
