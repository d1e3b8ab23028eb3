// SPDX-License-Identifier: Apache-2.0

/// The form of the batches that a path accepts.
struct EventDialect: Sendable {
    /// A batch; its events are checked one by one.
    let batch: SchemaValidator
    /// The `data` of each type of event.
    let eventData: [String: SchemaValidator.Record]
    /// True if `Content-Type: text/plain` is accepted besides JSON.
    let mayBeText: Bool
    /// True if a `user_attribute_change` with `deleted` deletes the attribute, as `deleted_user_attributes` does.
    let deletesByEvent: Bool

    /// The published JSON Schema.
    static let server = EventDialect(
        batch: .batch,
        eventData: SchemaValidator.eventData,
        mayBeText: false,
        deletesByEvent: false
    )

    /// The batches of mParticle's SDK for browsers, which break the published JSON Schema in some places.
    ///
    /// Source: mParticle/mparticle-web-sdk 2.71.2: `src/sdkToEventsApiConverter.ts` for the events, and
    /// `src/batchUploader.ts` for `modified` (set after `onCreateBatch`) and the content type. No document has this form.
    /// The SDK never sends `deleted_user_attributes`, so its events are the only word of a deletion.
    static let web = EventDialect(
        batch: SchemaValidator.batch
            .replacing("mpid", with: .scalar)
            .replacing("modified", with: .bool)
            .replacing("application_info.sideloaded_kits_count", with: .integer),
        eventData: Self.webEventData,
        mayBeText: true,
        deletesByEvent: true
    )

    private static let webEventData: [String: SchemaValidator.Record] = {
        var data = SchemaValidator.eventData
        // `mParticle.logEvent(name)`, without a type, is of an unknown one.
        data["custom_event"]?.replace(
            "custom_event_type",
            with: .oneOf(SchemaValidator.customEventTypes.union(["unknown"]))
        )
        // The message only: neither severity nor stack, which is among the attributes.
        data["crash_report"]?.present = ["message"]
        data["commerce_event"]?.replaceCommerce()
        return data
    }()
}

extension SchemaValidator.Record {
    /// Replaces the value at a path of names, separated by dots; a list on the way stands for its elements.
    fileprivate mutating func replace(_ path: String, with shape: SchemaValidator) {
        let name = path.prefix { $0 != "." }
        let rest = path.dropFirst(name.count + 1)
        let old = self.members[String(name)] ?? .anything
        self.members[String(name)] = rest.isEmpty ? shape : old.replacing(String(rest), with: shape)
    }

    fileprivate mutating func replaceCommerce() {
        // The SDK sends its own numbers for the actions of a promotion: 1 for a view, 2 for a click.
        self.replace("promotion_action.action", with: .oneOfScalars(["view", "click", "1", "2"]))
        // Actions that the schema lacks, such as a look at the cart, are unknown ones.
        self.replace("product_action.action", with: .oneOf(SchemaValidator.productActions.union(["unknown"])))
        // Texts and numbers as the page gives them.
        self.replace("product_action.transaction_id", with: .scalar)
        self.replace("promotion_action.promotions.id", with: .scalar)
        self.replace("promotion_action.promotions.name", with: .scalar)
        for place in ["product_action", "shopping_cart", "product_impressions"] {
            self.replace("\(place).products.id", with: .scalar)
            self.replace("\(place).products.custom_attributes", with: .map(.scalar))
        }
    }
}

extension SchemaValidator {
    /// Returns a copy with another value at a path of names, separated by dots.
    fileprivate func replacing(_ path: String, with shape: SchemaValidator) -> SchemaValidator {
        switch self {
        case .list(let element):
            return .list(element.replacing(path, with: shape))
        case .record(var record):
            record.replace(path, with: shape)
            return .record(record)
        default:
            return self
        }
    }
}
