// SPDX-License-Identifier: Apache-2.0

public import struct SignetModel.MPID
package import struct SignetTransport.JSONObject

/// An event as it arrived at the platform.
public struct EmulatedEvent: Sendable, Hashable {
    /// The type on the wire, such as `custom_event`.
    public let type: String
    /// The user's MPID.
    public let mpid: MPID
    /// `session_id`.
    public let sessionID: Int64?
    /// `session_uuid`.
    public let sessionUUID: String?
    /// `event_name`, or `screen_name` of a screen view, cut to 256 characters as on the platform.
    public let name: String?
    /// `timestamp_unixtime_ms`; if the event has none, that of the batch or the time of arrival.
    public let timestamp: Int64
    /// `source_message_id`.
    public let messageID: String?
    /// `total_amount` of the product action of a commerce event.
    public let totalAmount: Double?
    /// `custom_attributes`.
    public let customAttributes: [String: String]
    /// `source_request_id` of the batch that brought it.
    public let batchID: String?
    /// The user from whom an alias copied this event; nil for an event that came in a batch.
    public let copiedFrom: MPID?
    /// The undocumented members of the event, sorted by name; most likely misspelt.
    public let undocumentedMembers: [String]
    /// The whole `data` of the event.
    package let data: JSONObject
}

extension EmulatedEvent {
    // Events API: longer names are cut (default service limits).
    private static let longestName = 256

    /// Reads a checked event.
    init(type: String, mpid: MPID, data: JSONObject, batchID: String?, defaultTimestamp: Int64) {
        let known = SchemaValidator.eventData[type]?.members ?? [:]
        let name = data[type == "screen_view" ? "screen_name" : "event_name"]?.string
        var attributes: [String: String] = [:]
        for (key, value) in data["custom_attributes"]?.object ?? JSONObject() {
            attributes[key] = value.string
        }
        self.init(
            type: type,
            mpid: mpid,
            sessionID: data["session_id"]?.number?.int64,
            sessionUUID: data["session_uuid"]?.string,
            name: name.map { String($0.prefix(Self.longestName)) },
            timestamp: data["timestamp_unixtime_ms"]?.number?.int64 ?? defaultTimestamp,
            messageID: data["source_message_id"]?.string,
            totalAmount: data["product_action"]?["total_amount"]?.number?.double,
            customAttributes: attributes,
            batchID: batchID,
            copiedFrom: nil,
            undocumentedMembers: data.keys.filter { known[$0] == nil }.sorted(),
            data: data
        )
    }

    func copied(to destination: MPID) -> EmulatedEvent {
        EmulatedEvent(
            type: self.type,
            mpid: destination,
            sessionID: self.sessionID,
            sessionUUID: self.sessionUUID,
            name: self.name,
            timestamp: self.timestamp,
            messageID: self.messageID,
            totalAmount: self.totalAmount,
            customAttributes: self.customAttributes,
            batchID: self.batchID,
            copiedFrom: self.mpid,
            undocumentedMembers: self.undocumentedMembers,
            data: self.data
        )
    }
}

extension EmulatedEvent: CustomStringConvertible {
    /// The type and the time, without names and attributes.
    public var description: String {
        "EmulatedEvent(\(self.type) of \(self.mpid) at \(self.timestamp))"
    }
}
