// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A push token that must no longer reach a user (`users/disableDevice`).
struct DisableDeviceBody: Sendable, Hashable {
    /// The token, in hexadecimal.
    var token: String
    /// The user that loses the token, as captured at the call; nil for all users that have it.
    var user: IterableIdentity?
    /// The wall clock, seconds since 1970.
    var createdAt: Int64

    init(token: String, user: IterableIdentity?, createdAt: Int64) {
        self.token = token
        self.user = user
        self.createdAt = createdAt
    }

    /// The JSON text.
    func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("createdAt", self.createdAt)
        self.user?.writeEmail(to: &writer)
        writer.member("token", self.token)
        self.user?.writeUserID(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}

extension DisableDeviceBody: CustomStringConvertible {
    /// The scope, one user or all users, without the token.
    var description: String {
        "DisableDeviceBody(\(self.user == nil ? "all users" : "one user"))"
    }
}
