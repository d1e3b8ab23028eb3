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
    /// Who was before, if it was a guest: nobody who had ever logged in.
    ///
    /// Whose traces the new user may want (``Installation/alias(_:)``, ``Installation/copyAttributes(after:)``). Nil also when
    /// the guest became the customer and kept the MPID: then nothing needs doing.
    public var previousGuest: User? {
        self.previousUser.flatMap { $0.isLoggedIn ? nil : $0 }
    }
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
