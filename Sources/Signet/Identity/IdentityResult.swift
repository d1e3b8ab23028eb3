//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

/// What identify, login and logout found out.
public struct IdentityResult: Sendable, Hashable {
    /// Who is in front of the installation now.
    public let user: User
    /// Who was before; nil when it is the same MPID, or nobody was known.
    public let previousUser: User?
    /// Those identities of the request that the platform already knew of this user (`matched_identities`).
    public let matchedIdentities: [IdentityType: String]
}

extension IdentityResult: CustomStringConvertible, CustomReflectable {
    /// The users and the kinds of identities that matched, without values.
    public var description: String {
        let matched = self.matchedIdentities.keys.sorted().map(\.wireName).joined(separator: ", ")
        return
            "IdentityResult(\(self.user), previous: \(self.previousUser?.mpid.description ?? "none"), matched: [\(matched)])"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["result": self.description])
    }
}
