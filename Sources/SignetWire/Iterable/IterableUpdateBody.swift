//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

/// Fields of a user that change (`users/update`): those of the app, and nothing of our own beside them.
package struct IterableUpdateBody: Sendable, Hashable {
    /// Whose.
    package var user: IterableIdentity
    /// What they are from now on.
    package var fields: JSONObject
    /// Whether objects take members over one by one, as the app said when it changed them.
    package var mergesNestedObjects: Bool
    /// When they changed, in seconds since 1970.
    package var createdAt: Int64

    package init(user: IterableIdentity, fields: JSONObject, mergesNestedObjects: Bool, createdAt: Int64) {
        self.user = user
        self.fields = fields
        self.mergesNestedObjects = mergesNestedObjects
        self.createdAt = createdAt
    }

    /// The JSON text.
    package func encoded() -> [UInt8] {
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
    package var description: String {
        "VisitorUpdateBody(\(self.fields.count) fields)"
    }
}
