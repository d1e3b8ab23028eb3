// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A custom event of a user (`events/track`).
///
/// Tracked and replayed bodies both carry the time of the record.
struct IterableEventBody: Sendable, Hashable {
    /// The user of the event.
    var user: IterableIdentity
    /// The name of the event.
    var name: String
    /// The time of the record, in seconds since 1970.
    var createdAt: Int64
    /// The fields of the event; nil for none.
    var fields: JSONObject?
    /// An id by which the service recognises a repeated event; nil leaves it out.
    var eventID: String?

    init(
        user: IterableIdentity,
        name: String,
        createdAt: Int64,
        fields: JSONObject? = nil,
        eventID: String? = nil
    ) {
        self.user = user
        self.name = name
        self.createdAt = createdAt
        self.fields = fields
        self.eventID = eventID
    }

    /// The JSON text.
    func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("createNewFields", true)
        writer.member("createdAt", self.createdAt)
        if let fields = self.fields {
            writer.member("dataFields", .object(fields))
        }
        self.user.writeEmail(to: &writer)
        writer.member("eventName", self.name)
        if let eventID = self.eventID {
            writer.member("id", eventID)
        }
        self.user.writePreference(to: &writer)
        self.user.writeUserID(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}

extension IterableEventBody: CustomStringConvertible {
    /// The time, without names and fields.
    var description: String {
        "IterableEventBody(at \(self.createdAt))"
    }
}
