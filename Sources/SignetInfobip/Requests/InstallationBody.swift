// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// A body of a request: JSON with its members in alphabetical order, so that equal values always give equal bytes.
///
/// It holds personal data and push tokens, so it does not show them.
protocol InfobipBody: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    var members: JSONObject { get }
}

extension InfobipBody {
    /// True if there is nothing to send, and so no request.
    var isEmpty: Bool {
        self.members.isEmpty
    }

    /// Encodes the JSON text.
    func encoded() -> [UInt8] {
        JSONValue.object(self.members).encoded()
    }

    /// The number of members, without names and values.
    var description: String {
        "\(Self.self)(\(self.members.count) members)"
    }

    /// A mirror without values.
    var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}

/// The body that registers an installation (`POST /mobile/1/appinstance`): all that is known of it.
struct InstallationBody: InfobipBody {
    let members: JSONObject

    /// Makes the body.
    ///
    /// Notifications are always sent as enabled, because apps mostly ask the user later.
    ///
    /// - Parameters:
    ///   - installation: The installation, with the changes made before it had an id; it needs a push token and a push service.
    ///   - system: The system of the installation.
    init(_ installation: InfobipInstallation, system: InfobipSystemData) {
        var members = Dictionary(system.members.map { ($0.key, $0.value) }) { $1 }
        members["applicationUserId"] = installation.applicationUserID.map(JSONValue.string)
        members["pushRegId"] = installation.pushRegistrationID.map(JSONValue.string)
        members["customAttributes"] = .object(InfobipJSON.object(installation.customAttributes))
        members["isPrimary"] = .bool(installation.isPrimary)
        members["regEnabled"] = .bool(installation.isPushRegistrationEnabled)
        members["notificationsEnabled"] = true
        members["pushServiceType"] = installation.pushServiceType.map(JSONValue.string)
        members["pushServiceToken"] = installation.pushServiceToken?.withExposed { .string($0) }
        self.members = InfobipJSON.object(members) { $0 }
    }
}

/// The changes of an installation (`PATCH /mobile/1/appinstance/{id}`).
struct InstallationPatchBody: InfobipBody {
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
        let all = Array(system?.members ?? JSONObject()) + Array(delta)
        var members = Dictionary(all.map { ($0.key, $0.value) }) { $1 }
        members["pushServiceToken"] = pushServiceToken?.withExposed { .string($0) }
        self.members = InfobipJSON.object(members) { $0 }
    }

    /// Makes the body that sets or clears the primary flag of another installation.
    ///
    /// It must hold nothing else, above all no system data of the caller.
    init(otherIsPrimary: Bool) {
        self.members = ["isPrimary": .bool(otherIsPrimary)]
    }

    private static func members(of changes: InfobipInstallationChanges) -> JSONObject {
        var members: [String: JSONValue] = [:]
        members["applicationUserId"] = InfobipJSON.change(changes.applicationUserID, JSONValue.string)
        members["isPrimary"] = changes.isPrimary.map(JSONValue.bool)
        members["regEnabled"] = changes.isPushRegistrationEnabled.map(JSONValue.bool)
        let custom = InfobipJSON.object(changes.customAttributes)
        if !custom.isEmpty { members["customAttributes"] = .object(custom) }
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

/// The system data of an installation.
///
/// A registration and each report of sessions hold it. A change holds it if it differs from what was reported last.
struct InfobipSystemData: Sendable, Hashable {
    /// The members, in alphabetical order.
    let members: JSONObject

    /// Makes the system data.
    ///
    /// - Parameters:
    ///   - system: The system of the installation.
    ///   - pushServiceType: The push service that reaches the installation.
    ///   - notificationsEnabled: True if the user allows notifications; nil if unknown.
    ///   - isPrivate: Omits model, app version, device security, language, device name and time zone if true.
    init(
        _ system: InfobipInstallationSystem,
        pushServiceType: String?,
        notificationsEnabled: Bool?,
        isPrivate: Bool = false
    ) {
        var members: [String: JSONValue] = [:]
        members["sdkVersion"] = system.sdkVersion.map(JSONValue.string)
        members["pushServiceType"] = pushServiceType.map(JSONValue.string)
        members["os"] = system.os.map(JSONValue.string)
        members["osVersion"] = system.osVersion.map(JSONValue.string)
        members["deviceManufacturer"] = system.deviceManufacturer.map(JSONValue.string)
        members["notificationsEnabled"] = notificationsEnabled.map(JSONValue.bool)
        if !isPrivate {
            members["deviceModel"] = system.deviceModel.map(JSONValue.string)
            members["appVersion"] = system.appVersion.map(JSONValue.string)
            members["deviceSecure"] = system.deviceSecure.map(JSONValue.bool)
            members["language"] = system.language.map(JSONValue.string)
            members["deviceName"] = system.deviceName.map(JSONValue.string)
            members["deviceTimezoneOffset"] = system.timeZoneOffset.map(JSONValue.string)
        }
        self.members = InfobipJSON.object(members) { $0 }
    }

    /// A hash of the data, to be kept when they are reported: 16 hexadecimal digits.
    var hash: String {
        let hash = SHA256.hash(JSONValue.object(self.members).encoded())
        return Hexadecimal.encode(Array(hash.prefix(8)))
    }
}
