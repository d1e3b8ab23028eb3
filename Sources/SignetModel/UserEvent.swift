// SPDX-License-Identifier: Apache-2.0

/// A change of a user that the runtime reports by itself.
package enum UserEvent: Sendable, Hashable {
    /// An attribute of a user was set, changed or removed (Events API v2, `user_attribute_change`).
    case attributeChange(name: String, old: AttributeValue?, new: AttributeValue?)
    /// An identity of a user was set, changed or removed (Events API v2, `user_identity_change`).
    case identityChange(old: UserIdentityState, new: UserIdentityState)
    /// Another user became current (Events API v2, `profile`).
    case profile(Patch, previous: MPID, current: MPID)

    /// The operation that led to another user.
    package enum Patch: String, Sendable, Hashable, CaseIterable {
        case signup, login, logout, update, delete
    }
}

/// The state of an identity before or after a change.
package struct UserIdentityState: Sendable, Hashable {
    /// The type of the identity, in the name of the Events API.
    package var typeName: String
    /// The value of the identity; nil for none.
    package var value: String?
    /// The time at which it was set, in milliseconds since 1970.
    package var milliseconds: Int64
    /// True when the platform has not received it before.
    package var isNew: Bool

    package init(typeName: String, value: String?, milliseconds: Int64, isNew: Bool) {
        self.typeName = typeName
        self.value = value
        self.milliseconds = milliseconds
        self.isNew = isNew
    }
}
