// SPDX-License-Identifier: Apache-2.0

/// The id of a user of Iterable's API.
public enum EmulatedIterableUserID: Sendable, Hashable {
    /// An e-mail address, compared exactly.
    case email(String)
    /// A user id; that of an unknown user is a UUID.
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
