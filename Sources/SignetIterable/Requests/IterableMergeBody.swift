// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The merge of an unknown user into another user (`users/merge`).
struct IterableMergeBody: Sendable, Hashable {
    /// The UUID of the unknown user, which is gone afterwards.
    var sourceUserID: String
    /// The user that remains.
    ///
    /// The request carries the token of this user.
    var destination: IterableIdentity
    /// The wall clock, seconds since 1970.
    var createdAt: Int64

    init(sourceUserID: String, destination: IterableIdentity, createdAt: Int64) {
        self.sourceUserID = sourceUserID
        self.destination = destination
        self.createdAt = createdAt
    }

    /// The JSON text.
    func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("createdAt", self.createdAt)
        self.destination.write(to: &writer, email: "destinationEmail", userID: "destinationUserId")
        writer.member("sourceUserId", self.sourceUserID)
        writer.endObject()
        return writer.bytes
    }
}

extension IterableMergeBody: CustomStringConvertible {
    /// The kind of destination, without names.
    var description: String {
        "IterableMergeBody(into \(self.destination))"
    }
}
