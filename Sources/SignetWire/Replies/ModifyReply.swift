// SPDX-License-Identifier: Apache-2.0

package import SignetModel
import SignetTransport

/// The answer to modify: its effects on other users.
package struct ModifyReply: Sendable, Hashable {
    /// The other users that changed, in the order of the answer.
    package let changes: [ModifiedProfile]
    /// The number of entries that were ignored, because they named no known identity type or no MPID.
    package let skipped: Int

    /// Reads the body of a successful answer.
    ///
    /// - Parameter bytes: The body. If it is empty, blank, `null` or without a list of `change_results`, no other user
    ///   changed: that is all that the platform documents.
    /// - Throws: `notJSON` or `invalidReply` for any other body.
    package init(_ bytes: [UInt8]) throws(WireError) {
        guard !Self.saysNothing(bytes) else {
            self.changes = []
            self.skipped = 0
            return
        }
        let entries = try ReplyObject(bytes).list("change_results")
        self.changes = entries.compactMap(Self.profile)
        self.skipped = entries.count - self.changes.count
    }

    private static func saysNothing(_ bytes: [UInt8]) -> Bool {
        let text = bytes.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        return text.isEmpty || text.elementsEqual("null".utf8)
    }

    private static func profile(_ entry: JSONValue) -> ModifiedProfile? {
        guard let name = entry["identity_type"]?.string else { return nil }
        let type = IdentityType(wireName: name)
        guard IdentityType.known.contains(type) else { return nil }
        return entry["modified_mpid"]?.mpid.map { ModifiedProfile(type: type, mpid: $0) }
    }
}

/// Another user who lost an identity because the identity may belong to one user only.
package struct ModifiedProfile: Sendable, Hashable {
    /// The type of the lost identity.
    package let type: IdentityType
    /// The MPID of that user.
    package let mpid: MPID

    package init(type: IdentityType, mpid: MPID) {
        self.type = type
        self.mpid = mpid
    }
}
