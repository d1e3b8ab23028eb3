// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A change of a user's address (`users/updateEmail`).
struct IterableEmailBody: Sendable, Hashable {
    /// The current name of the user.
    var current: IterableIdentity
    /// The new address.
    var newEmail: String
    /// The wall clock, seconds since 1970.
    var createdAt: Int64

    init(current: IterableIdentity, newEmail: String, createdAt: Int64) {
        self.current = current
        self.newEmail = newEmail
        self.createdAt = createdAt
    }

    /// The JSON text.
    func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("createdAt", self.createdAt)
        self.current.write(to: &writer, email: "currentEmail", userID: "currentUserId")
        writer.member("newEmail", self.newEmail)
        writer.endObject()
        return writer.bytes
    }
}

extension IterableEmailBody: CustomStringConvertible {
    /// The kind of name, without any address.
    var description: String {
        "IterableEmailBody(of \(self.current))"
    }
}
