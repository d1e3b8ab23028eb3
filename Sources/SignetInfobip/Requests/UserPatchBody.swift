// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// The changes of a person (`PATCH …/user`).
struct UserPatchBody: InfobipBody {
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
        self.members = current.map { InfobipDelta.between(Self.members(of: $0), edited).withoutEmptied($0) } ?? edited
    }

    static func members(of changes: InfobipUserChanges) -> JSONObject {
        var members: [String: JSONValue] = [:]
        members["externalUserId"] = InfobipJSON.change(changes.externalUserID, JSONValue.string)
        members["firstName"] = InfobipJSON.change(changes.firstName, JSONValue.string)
        members["middleName"] = InfobipJSON.change(changes.middleName, JSONValue.string)
        members["lastName"] = InfobipJSON.change(changes.lastName, JSONValue.string)
        members["gender"] = InfobipJSON.change(changes.gender) { .string($0.rawValue) }
        members["birthday"] = InfobipJSON.change(changes.birthday) { .string($0.description) }
        members["phones"] = InfobipJSON.change(changes.phones, InfobipJSON.phones)
        members["emails"] = InfobipJSON.change(changes.emails, InfobipJSON.emails)
        members["tags"] = InfobipJSON.change(changes.tags, InfobipJSON.tags)
        let custom = InfobipJSON.object(changes.customAttributes)
        if !custom.isEmpty { members["customAttributes"] = .object(custom) }
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

/// The person to assign an installation to, with attributes (`POST …/personalize`).
struct PersonalizeBody: InfobipBody {
    let members: JSONObject

    /// Makes the body; absent values are left out, so nothing is removed but cleared custom attributes.
    init(identity: InfobipIdentity, attributes: InfobipAttributes? = nil) {
        var known: [String: JSONValue] = [:]
        if !identity.emails.isEmpty { known["emails"] = InfobipJSON.emails(identity.emails) }
        known["externalUserId"] = identity.externalUserID.map(JSONValue.string)
        if !identity.phones.isEmpty { known["phones"] = InfobipJSON.phones(identity.phones) }
        var members: [String: JSONValue] = ["userIdentity": .object(InfobipJSON.object(known) { $0 })]
        if let changes = attributes.map({ UserPatchBody($0.changes) }), !changes.isEmpty {
            members["userAttributes"] = .object(changes.members)
        }
        self.members = InfobipJSON.object(members) { $0 }
    }
}

extension JSONObject {
    /// The changes without lists that are to be empty, and that the person lacks.
    fileprivate func withoutEmptied(_ current: InfobipUser) -> JSONObject {
        var changes = self
        for (name, isEmpty) in [
            ("phones", current.phones.isEmpty), ("emails", current.emails.isEmpty), ("tags", current.tags.isEmpty),
        ] where isEmpty && changes[name]?.array?.isEmpty == true {
            changes[name] = nil
        }
        return changes
    }
}
