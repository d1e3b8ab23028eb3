// SPDX-License-Identifier: Apache-2.0

public import struct SignetModel.MPID
package import struct SignetTransport.JSONObject

/// An event as it arrived at the platform.
public struct EmulatedEvent: Sendable, Hashable {
    /// The type on the wire, such as `custom_event`.
    public let type: String
    /// The user's MPID.
    public private(set) var mpid: MPID
    /// `timestamp_unixtime_ms`; if the event has none, that of the batch or the time of arrival.
    public let timestamp: Int64
    /// `source_request_id` of the batch that brought it.
    public let batchID: String?
    /// The user from whom an alias copied this event; nil for an event that came in a batch.
    public private(set) var copiedFrom: MPID?
    /// The whole `data` of the event.
    package let data: JSONObject

    // Events API: longer names are cut (default service limits).
    private static let longestName = 256

    /// Reads a checked event.
    init(type: String, mpid: MPID, data: JSONObject, batchID: String?, defaultTimestamp: Int64) {
        self.type = type
        self.mpid = mpid
        self.timestamp = data["timestamp_unixtime_ms"]?.number?.int64 ?? defaultTimestamp
        self.batchID = batchID
        self.data = data
    }

    func copied(to destination: MPID) -> EmulatedEvent {
        var copy = self
        copy.mpid = destination
        copy.copiedFrom = self.mpid
        return copy
    }

    /// A member of the event's `data` by its name on the wire, such as `session_duration_ms` or `custom_flags`.
    ///
    /// It is nil if the event has no such member.
    public subscript(name: String) -> EmulatedValue? {
        self.data[name].map { EmulatedValue($0) }
    }
    /// `session_id`.
    public var sessionID: Int64? { self.data["session_id"]?.number?.int64 }
    /// `session_uuid`.
    public var sessionUUID: String? { self.data["session_uuid"]?.string }
    /// The name of the session: `session_id`, or `session_uuid` of an event without a number, as web pages send them.
    package var session: String? { self.sessionID.map(String.init) ?? self.sessionUUID }
    /// `event_name`, or `screen_name` of a screen view, cut to 256 characters as on the platform.
    public var name: String? {
        let name = self.data[self.type == "screen_view" ? "screen_name" : "event_name"]?.string
        return name.map { String($0.prefix(Self.longestName)) }
    }
    /// `source_message_id`.
    public var messageID: String? { self.data["source_message_id"]?.string }
    /// `total_amount` of the product action of a commerce event.
    public var totalAmount: Double? { self.data["product_action"]?["total_amount"]?.number?.double }
    /// `custom_attributes`; a number or a truth value as text, and without nulls.
    public var customAttributes: [String: String] {
        (self.data["custom_attributes"]?.object ?? [:])
            .reduce(into: [:]) { texts, member in texts[member.key] = member.value.scalarText }
    }
    /// The undocumented members of the event, sorted by name; most likely misspelt.
    public var undocumentedMembers: [String] {
        let known = SchemaValidator.eventData[self.type]?.members ?? [:]
        return self.data.keys.filter { known[$0] == nil }.sorted()
    }
}

extension EmulatedEvent: CustomStringConvertible {
    /// The type and the time, without names and attributes.
    public var description: String {
        "EmulatedEvent(\(self.type) of \(self.mpid) at \(self.timestamp))"
    }
}
