// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// Changed fields of a user (`users/update`): those of the app, without any added by Signet.
struct IterableUpdateBody: Sendable, Hashable {
    /// The user whose fields change.
    var user: IterableIdentity
    /// The new values.
    var fields: JSONObject
    /// True to merge nested objects member by member, as the app chose when it made the change.
    var mergesNestedObjects: Bool
    /// The time of the change, in seconds since 1970.
    var createdAt: Int64

    init(user: IterableIdentity, fields: JSONObject, mergesNestedObjects: Bool, createdAt: Int64) {
        self.user = user
        self.fields = fields
        self.mergesNestedObjects = mergesNestedObjects
        self.createdAt = createdAt
    }

    /// The JSON text.
    func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("createdAt", self.createdAt)
        writer.member("dataFields", .object(self.fields))
        self.user.writeEmail(to: &writer)
        writer.member("mergeNestedObjects", self.mergesNestedObjects)
        self.user.writePreference(to: &writer)
        self.user.writeUserID(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}

extension IterableUpdateBody: CustomStringConvertible {
    /// The number of fields, without their content.
    var description: String {
        "IterableUpdateBody(\(self.fields.count) fields)"
    }
}
