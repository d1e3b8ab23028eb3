// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// The changes of a person (`PATCH …/user`).
struct UserPatchBody: Sendable, Hashable {
    /// The members, in alphabetical order.
    ///
    /// The type and the installations are never among them.
    let members: JSONObject

    /// Makes the body.
    ///
    /// - Parameters:
    ///   - changes: The changes by the app.
    ///   - current: The state that the service is known to have; equal members are left out. Nil sends all changes.
    init(_ changes: InfobipUserChanges, current: InfobipUser? = nil) {
        let edited = Self.members(of: changes)
        self.members = current.map { InfobipDelta.between(Self.members(of: $0), edited) } ?? edited
    }

    /// True if there is nothing to send, and so no request.
    var isEmpty: Bool {
        self.members.isEmpty
    }

    /// Encodes the JSON text.
    func encoded() -> [UInt8] {
        JSONValue.object(self.members).encoded()
    }

    static func members(of changes: InfobipUserChanges) -> JSONObject {
        var members: [String: JSONValue] = [:]
        func add<Value>(_ key: String, _ change: Patch<Value>, _ json: (Value) -> JSONValue) {
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
        add("phones", changes.phones, InfobipJSON.phones)
        add("emails", changes.emails, InfobipJSON.emails)
        add("tags", changes.tags, InfobipJSON.tags)
        let custom = InfobipJSON.object(changes.customAttributes)
        if !custom.isEmpty {
            members["customAttributes"] = .object(custom)
        }
        return InfobipJSON.object(members) { $0 }
    }

    private static func members(of profile: InfobipUser) -> JSONObject {
        var changes = InfobipUserChanges()
        changes.externalUserID = profile.externalUserID.map(Patch.set) ?? .untouched
        changes.firstName = profile.firstName.map(Patch.set) ?? .untouched
        changes.middleName = profile.middleName.map(Patch.set) ?? .untouched
        changes.lastName = profile.lastName.map(Patch.set) ?? .untouched
        changes.gender = profile.gender.map(Patch.set) ?? .untouched
        changes.birthday = profile.birthday.map(Patch.set) ?? .untouched
        changes.phones = profile.phones.isEmpty ? .untouched : .set(profile.phones)
        changes.emails = profile.emails.isEmpty ? .untouched : .set(profile.emails)
        changes.tags = profile.tags.isEmpty ? .untouched : .set(profile.tags)
        changes.customAttributes = profile.customAttributes.mapValues(Patch.set)
        var members = Self.members(of: changes)
        // The service has none: a cleared attribute that it does not have is not sent.
        members["customAttributes"] = members["customAttributes"] ?? [:]
        return members
    }
}

extension UserPatchBody: CustomStringConvertible {
    /// The number of members, without their content.
    var description: String {
        "UserPatchBody(\(self.members.count) members)"
    }
}
