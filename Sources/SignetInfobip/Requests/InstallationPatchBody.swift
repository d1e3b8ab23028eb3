// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// The changes of an installation (`PATCH /mobile/1/appinstance/{id}`).
struct InstallationPatchBody: Sendable, Hashable {
    /// The members, in alphabetical order.
    let members: JSONObject

    /// Makes the body for changes of the caller's own installation.
    ///
    /// - Parameters:
    ///   - changes: The changes by the app.
    ///   - current: The state that the service is known to have; equal members are left out. Nil sends all changes.
    ///   - pushServiceToken: A token that the service does not have yet.
    ///   - system: The system data, if they differ from those reported last; always sent whole.
    init(
        _ changes: InfobipInstallationChanges,
        current: InfobipInstallation? = nil,
        pushServiceToken: Secret? = nil,
        system: InfobipSystemData? = nil
    ) {
        let edited = Self.members(of: changes)
        let delta = current.map { InfobipDelta.between(Self.members(of: $0), edited) } ?? edited
        var members: [String: JSONValue] = [:]
        for (key, value) in system?.members ?? JSONObject() {
            members[key] = value
        }
        for (key, value) in delta {
            members[key] = value
        }
        members["pushServiceToken"] = pushServiceToken?.withExposed { .string($0) }
        self.members = InfobipJSON.object(members) { $0 }
    }

    /// Makes the body that sets or clears the primary flag of another installation.
    ///
    /// It must hold nothing else, above all no system data of the caller.
    init(otherIsPrimary: Bool) {
        self.members = ["isPrimary": .bool(otherIsPrimary)]
    }

    /// True if there is nothing to send, and so no request.
    var isEmpty: Bool {
        self.members.isEmpty
    }

    /// Encodes the JSON text.
    func encoded() -> [UInt8] {
        JSONValue.object(self.members).encoded()
    }

    private static func members(of changes: InfobipInstallationChanges) -> JSONObject {
        var members: [String: JSONValue] = [:]
        switch changes.applicationUserID {
        case .untouched: break
        case .set(let id): members["applicationUserId"] = .string(id)
        case .clear: members["applicationUserId"] = JSONValue.null
        }
        members["isPrimary"] = changes.isPrimary.map(JSONValue.bool)
        members["regEnabled"] = changes.isPushRegistrationEnabled.map(JSONValue.bool)
        let custom = InfobipJSON.object(changes.customAttributes)
        if !custom.isEmpty {
            members["customAttributes"] = .object(custom)
        }
        return InfobipJSON.object(members) { $0 }
    }

    private static func members(of profile: InfobipInstallation) -> JSONObject {
        var changes = InfobipInstallationChanges()
        changes.applicationUserID = profile.applicationUserID.map(Patch.set) ?? .untouched
        changes.isPrimary = profile.isPrimary
        changes.isPushRegistrationEnabled = profile.isPushRegistrationEnabled
        changes.customAttributes = profile.customAttributes.mapValues(Patch.set)
        var members = Self.members(of: changes)
        // The service has none: a cleared attribute that it does not have is not sent.
        members["customAttributes"] = members["customAttributes"] ?? [:]
        return members
    }
}

extension InstallationPatchBody: CustomStringConvertible {
    /// The number of members, without their content.
    var description: String {
        "InstallationPatchBody(\(self.members.count) members)"
    }
}
