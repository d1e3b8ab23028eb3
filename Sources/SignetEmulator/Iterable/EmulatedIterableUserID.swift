//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What a user of Iterable's API is called by.
public enum EmulatedIterableUserID: Sendable, Hashable {
    /// By an e-mail address, compared as it stands.
    case email(String)
    /// By a user id; that of an unknown user is a UUID.
    case userID(String)
}

extension EmulatedIterableUserID: CustomStringConvertible {
    /// The kind, without the value.
    public var description: String {
        switch self {
        case .email: "email"
        case .userID: "userId"
        }
    }
}
