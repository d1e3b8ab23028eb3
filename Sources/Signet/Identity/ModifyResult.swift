//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

/// What a modify did.
public struct ModifyResult: Sendable, Hashable {
    /// A user from whom a unique identity was taken, because it belongs to the modified one now.
    public struct AffectedUser: Sendable, Hashable {
        /// Who lost the identity.
        public let mpid: MPID
        /// Which one.
        public let identityType: IdentityType
    }

    /// The modified user as known now.
    public let user: User
    /// Whether something was sent; false when the request changed nothing.
    public let isSent: Bool
    /// Other users who lost an identity (`change_results`).
    public let affectedUsers: [AffectedUser]
}
