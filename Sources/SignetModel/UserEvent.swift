// SPDX-License-Identifier: Apache-2.0

/// An event about a user.
package enum UserEvent: Sendable, Hashable {
    /// An attribute of a user was set, changed or removed (Events API v2, `user_attribute_change`).
    case attributeChange(name: String, old: AttributeValue?, new: AttributeValue?)
    /// An identity of a user was set, changed or removed (Events API v2, `user_identity_change`).
    case identityChange(old: UserIdentityState, new: UserIdentityState)
    /// Another user became current (Events API v2, `profile`).
    case profile(Event.ProfileChange, previous: MPID, current: MPID)
}

extension Event {
    /// The change of a customer's account that a `profile` event reports (Events API v2, `profile_event_type`).
    public enum ProfileChange: String, Sendable, Hashable, CaseIterable {
        /// A new account.
        case signup
        /// A log-in.
        case login
        /// A log-out.
        case logout
        /// A change of the account.
        case update
        /// The end of the account.
        case delete
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
