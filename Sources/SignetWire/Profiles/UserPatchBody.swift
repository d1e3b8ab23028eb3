//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetModel
package import SignetTransport

/// What is to change of a person (`PATCH …/user`).
package struct UserPatchBody: Sendable, Hashable {
    /// The members, in alphabetical order.
    ///
    /// Neither the type nor the installations can be among them.
    package let members: JSONObject

    /// Makes the body of changes.
    ///
    /// - Parameters:
    ///   - changes: What an app has changed.
    ///   - current: What the service is known to have: what is so already is left out. Nil sends all changes.
    package init(_ changes: UserProfileChanges, current: UserProfile? = nil) {
        let edited = Self.members(of: changes)
        self.members = current.map { ProfileDelta.between(Self.members(of: $0), edited) } ?? edited
    }

    /// Whether there is nothing to send, and so no request.
    package var isEmpty: Bool {
        self.members.isEmpty
    }

    /// The JSON text.
    package func encoded() -> [UInt8] {
        JSONValue.object(self.members).encoded()
    }

    static func members(of changes: UserProfileChanges) -> JSONObject {
        var members: [String: JSONValue] = [:]
        func add<Value>(_ key: String, _ change: ProfileChange<Value>, _ json: (Value) -> JSONValue) {
            switch change {
            case .untouched: break
            case .set(let value): members[key] = json(value)
            case .clear: members[key] = JSONValue.null
            }
        }
        add("externalUserId", changes.externalUserID, JSONValue.string)
        add("firstName", changes.firstName, JSONValue.string)
        add("middleName", changes.middleName, JSONValue.string)
        add("lastName", changes.lastName, JSONValue.string)
        add("gender", changes.gender) { .string($0.rawValue) }
        add("birthday", changes.birthday) { .string($0.description) }
        add("phones", changes.phones, ProfileJSON.phones)
        add("emails", changes.emails, ProfileJSON.emails)
        add("tags", changes.tags, ProfileJSON.tags)
        let custom = ProfileJSON.object(changes.customAttributes)
        if !custom.isEmpty {
            members["customAttributes"] = .object(custom)
        }
        return ProfileJSON.object(members) { $0 }
    }

    private static func members(of profile: UserProfile) -> JSONObject {
        var changes = UserProfileChanges()
        changes.externalUserID = profile.externalUserID.map(ProfileChange.set) ?? .untouched
        changes.firstName = profile.firstName.map(ProfileChange.set) ?? .untouched
        changes.middleName = profile.middleName.map(ProfileChange.set) ?? .untouched
        changes.lastName = profile.lastName.map(ProfileChange.set) ?? .untouched
        changes.gender = profile.gender.map(ProfileChange.set) ?? .untouched
        changes.birthday = profile.birthday.map(ProfileChange.set) ?? .untouched
        changes.phones = profile.phones.isEmpty ? .untouched : .set(profile.phones)
        changes.emails = profile.emails.isEmpty ? .untouched : .set(profile.emails)
        changes.tags = profile.tags.isEmpty ? .untouched : .set(profile.tags)
        changes.customAttributes = profile.customAttributes.mapValues(ProfileChange.set)
        var members = Self.members(of: changes)
        // Known to be none: what is cleared and is not there need not be said.
        members["customAttributes"] = members["customAttributes"] ?? [:]
        return members
    }
}

extension UserPatchBody: CustomStringConvertible {
    /// The number of members, without their content.
    package var description: String {
        "UserPatchBody(\(self.members.count) members)"
    }
}
