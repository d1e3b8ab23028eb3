// SPDX-License-Identifier: Apache-2.0

public import SignetModel

/// The result of a modify.
public struct ModifyResult: Sendable, Hashable {
    /// A user who lost a unique identity because it now belongs to the modified user.
    public struct AffectedUser: Sendable, Hashable {
        /// The MPID of the user who lost the identity.
        public let mpid: MPID
        /// The type of the lost identity.
        public let identityType: IdentityType
    }

    /// The modified user after the call.
    public let user: User
    /// True if a request was sent; false if the request changed nothing.
    public let isSent: Bool
    /// The other users who lost an identity (`change_results`).
    public let affectedUsers: [AffectedUser]
    /// The services that follow because names of the current user have changed, sorted by name, as in
    /// ``IdentityResult/servicesFollowing``.
    public internal(set) var servicesFollowing: [IdentitySyncOutcome.Service] = []
}
