//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

/// A custom event of a user (`events/track`), tracked or replayed: both say the time of the record.
package struct IterableEventBody: Sendable, Hashable {
    /// Whose.
    package var user: IterableIdentity
    /// What happened.
    package var name: String
    /// When, in seconds since 1970.
    package var createdAt: Int64
    /// What the app says of it; nil for nothing.
    package var fields: JSONObject?
    /// An id by which the service recognises an event that comes again; nil leaves it out.
    package var eventID: String?

    package init(
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
    package func encoded() -> [UInt8] {
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
    package var description: String {
        "VisitorEventBody(at \(self.createdAt))"
    }
}
