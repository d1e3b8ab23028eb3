// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The creation of an unknown user (`unknownuser/events/session`).
struct UnknownSessionBody: Sendable, Hashable {
    /// The sessions of the visitor before it became a user; times are seconds since 1970.
    struct Sessions: Sendable, Hashable {
        /// The number of sessions.
        var total: Int64
        /// The start of the first session.
        var first: Int64
        /// The start of the last session.
        var last: Int64

        init(total: Int64, first: Int64, last: Int64) {
            self.total = total
            self.first = first
            self.last = last
        }
    }

    /// The UUID of the user, the same on every try.
    var userID: String
    /// The fields that the app gave the visitor, without any others; nil for none.
    var fields: JSONObject?
    /// The wall clock, seconds since 1970.
    var createdAt: Int64
    /// The device of the visitor.
    var device: IterableDevice
    /// The sessions before the visitor became a user.
    var sessions: Sessions
    /// The id of the criterion that matched.
    ///
    /// It is sent only if it is an integer.
    var matchedCriteriaID: String
    /// The bundle id of the app, when it may show notifications; nil or empty leaves it out.
    var pushOptIn: String?

    init(
        userID: String,
        fields: JSONObject?,
        createdAt: Int64,
        device: IterableDevice,
        sessions: Sessions,
        matchedCriteriaID: String,
        pushOptIn: String? = nil
    ) {
        self.userID = userID
        self.fields = fields
        self.createdAt = createdAt
        self.device = device
        self.sessions = sessions
        self.matchedCriteriaID = matchedCriteriaID
        self.pushOptIn = pushOptIn
    }

    /// The JSON text.
    ///
    /// Members are in alphabetical order, so the same request is always the same bytes.
    func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("createdAt", self.createdAt)
        self.device.write(to: &writer)
        writer.key("unknownSessionContext")
        writer.beginObject()
        writer.member("firstUnknownSession", self.sessions.first)
        writer.member("lastUnknownSession", self.sessions.last)
        if let id = Int64(self.matchedCriteriaID) {
            writer.member("matchedCriteriaId", id)
        }
        if let pushOptIn = self.pushOptIn, !pushOptIn.isEmpty {
            writer.member("mobilePushOptIn", pushOptIn)
        }
        writer.member("totalUnknownSessionCount", self.sessions.total)
        writer.endObject()
        writer.key("user")
        writer.beginObject()
        writer.member("createNewFields", true)
        if let fields = self.fields {
            writer.member("dataFields", .object(fields))
        }
        writer.member("mergeNestedObjects", true)
        writer.member("preferUserId", true)
        writer.member("userId", self.userID)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}

extension UnknownSessionBody: CustomStringConvertible {
    /// The number of fields, without their content.
    var description: String {
        "UnknownSessionBody(\(self.fields?.count ?? 0) fields)"
    }
}
