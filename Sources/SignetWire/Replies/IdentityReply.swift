// SPDX-License-Identifier: Apache-2.0

package import SignetModel
import SignetTransport

/// The answer to identify, login, logout and search: the resolved user.
package struct IdentityReply: Sendable, Hashable {
    /// The resolved user.
    package let mpid: MPID
    /// True for a known user; false when the platform does not report it.
    package let isLoggedIn: Bool
    /// True when local data of the user may be removed at the next switch; false when the platform does not report it.
    package let isEphemeral: Bool
    /// The identities of the request that matched.
    package let matchedIdentities: [IdentityType: String]
    /// An opaque value to return in the next request.
    package let context: String?

    package init(
        mpid: MPID,
        isLoggedIn: Bool = false,
        isEphemeral: Bool = false,
        matchedIdentities: [IdentityType: String] = [:],
        context: String? = nil
    ) {
        self.mpid = mpid
        self.isLoggedIn = isLoggedIn
        self.isEphemeral = isEphemeral
        self.matchedIdentities = matchedIdentities
        self.context = context
    }

    /// Reads the body of a successful answer.
    ///
    /// The platform has done what was asked, and only the MPID is needed. Another member of an unknown form counts as missing; a flag
    /// may be a text or a number, as the vendor's SDKs take it.
    ///
    /// - Parameter bytes: The body.
    /// - Throws: `notJSON`, or `invalidReply` when the MPID is missing, 0 or no 64-bit number.
    package init(_ bytes: [UInt8]) throws(WireError) {
        let reply = try ReplyObject(bytes)
        guard let mpid = try reply.mpid("mpid") else {
            throw WireError(.invalidReply, "The answer has no mpid.")
        }
        var matched: [IdentityType: String] = [:]
        for (name, value) in reply.object("matched_identities") {
            if let text = value.string { matched[IdentityType(wireName: name)] = text }
        }
        self.init(
            mpid: mpid,
            isLoggedIn: reply.flag("is_logged_in"),
            isEphemeral: reply.flag("is_ephemeral"),
            matchedIdentities: matched,
            context: reply.text("context")
        )
    }
}

extension IdentityReply: CustomStringConvertible {
    /// The user, without identities.
    package var description: String {
        "IdentityReply(\(self.mpid), \(self.isLoggedIn ? "known" : "anonymous"))"
    }
}
