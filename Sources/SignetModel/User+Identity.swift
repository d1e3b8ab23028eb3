// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date

extension User {
    /// One identity of a user, with the date it was first given.
    public struct Identity: Sendable, Hashable {
        /// The value as given.
        public let value: String

        /// The time at which an identity of this type was first set for this user; a changed value keeps it.
        public let firstSet: Date

        /// Makes an identity.
        package init(value: String, firstSet: Date) {
            self.value = value
            self.firstSet = firstSet
        }
    }
}

extension User.Identity: CustomStringConvertible {
    /// The date, without the value.
    public var description: String {
        "User.Identity(<redacted>, first set \(self.firstSet))"
    }
}

extension User.Identity: CustomReflectable {
    /// A mirror with the date only.
    public var customMirror: Mirror {
        Mirror(self, children: ["firstSet": self.firstSet])
    }
}
