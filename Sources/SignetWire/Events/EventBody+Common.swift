// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

extension EventBody {
    /// Writes the members that any event may have (Events API v2, `EventData`).
    static func writeCommon(_ event: Event, to writer: inout JSONWriter) {
        if let timing = event.timing { writer.member("event_start_unixtime_ms", timing.start) }
        if let location = event.location {
            writer.key("location")
            writer.beginObject()
            writer.member("latitude", location.latitude)
            writer.member("longitude", location.longitude)
            if let accuracy = location.accuracy { writer.member("accuracy", accuracy) }
            writer.endObject()
        }
        if let change = event.lifetimeValueChange {
            writer.member("lifetime_value_change", change.amount)
            if let attribute = change.attribute { writer.member("lifetime_value_attribute_name", attribute) }
        }
        Self.write(event.attributes, event.addedAttributes, to: &writer)
        if !event.customFlags.isEmpty { Self.write(event.customFlags, to: &writer) }
    }

    /// Writes the attributes of an event or a product.
    static func write(
        _ attributes: Attributes,
        _ added: [(key: String, value: AttributeValue)] = [],
        to writer: inout JSONWriter
    ) {
        guard !attributes.isEmpty || !added.isEmpty else { return }
        writer.key("custom_attributes")
        writer.beginObject()
        for (key, value) in attributes.elements {
            writer.key(key)
            Self.write(value, to: &writer)
        }
        for (key, value) in added {
            writer.key(key)
            Self.write(value, to: &writer)
        }
        writer.endObject()
    }

    /// Writes a value; in events every value but null is text.
    private static func write(_ value: AttributeValue, to writer: inout JSONWriter) {
        switch value {
        case .string(let text): writer.string(text)
        case .integer(let number): writer.quoted(number)
        case .bool(let flag): writer.string(flag ? "true" : "false")
        case .null: writer.null()
        case .double, .date, .list: writer.string(value.text)
        }
    }

    private static func write(_ flags: [String: String], to writer: inout JSONWriter) {
        writer.key("custom_flags")
        writer.beginObject()
        for (key, value) in flags.sorted(by: { $0.key < $1.key }) { writer.member(key, value) }
        writer.endObject()
    }
}
