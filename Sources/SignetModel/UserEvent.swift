//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What the runtime tells of a change of a user by itself.
package enum UserEvent: Sendable, Hashable {
    /// An attribute of a user was set, changed or removed (Events API v2, `user_attribute_change`).
    case attributeChange(name: String, old: AttributeValue?, new: AttributeValue?)
    /// An identity of a user was set, changed or removed (Events API v2, `user_identity_change`).
    case identityChange(old: UserIdentityState, new: UserIdentityState)
    /// Another user is there (Events API v2, `profile`).
    case profile(Patch, previous: MPID, current: MPID)

    /// What led to another user.
    package enum Patch: String, Sendable, Hashable, CaseIterable {
        case signup, login, logout, update, delete
    }
}

/// An identity as it was or is, for an event that tells a change.
package struct UserIdentityState: Sendable, Hashable {
    /// Which identity, as the Events API names it.
    package var typeName: String
    /// Its value; nil for none.
    package var value: String?
    /// When it was set, in milliseconds since 1970.
    package var milliseconds: Int64
    /// Whether the platform has not heard of it before.
    package var isNew: Bool

    package init(typeName: String, value: String?, milliseconds: Int64, isNew: Bool) {
        self.typeName = typeName
        self.value = value
        self.milliseconds = milliseconds
        self.isNew = isNew
    }
}
