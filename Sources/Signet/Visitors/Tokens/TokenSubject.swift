//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetWire

/// Whom a token is to be signed for.
public enum TokenSubject: Sendable, Hashable {
    /// The user of an e-mail address: the claim `email`.
    case email(String)
    /// The user of a user id, an unknown user's UUID among them: the claim `userId`.
    case userID(String)

    /// Makes the subject of an identity.
    package init(_ identity: VisitorIdentity) {
        self =
            switch identity {
            case .email(let email): .email(email)
            case .userID(let userID): .userID(userID)
            }
    }
}

extension TokenSubject: CustomStringConvertible, CustomReflectable {
    /// The claim, without the value.
    public var description: String {
        switch self {
        case .email: "email"
        case .userID: "userId"
        }
    }

    /// A mirror with the claim only.
    public var customMirror: Mirror {
        Mirror(self, children: ["claim": self.description])
    }
}
