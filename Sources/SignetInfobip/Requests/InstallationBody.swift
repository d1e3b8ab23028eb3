// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// The body that registers an installation (`POST /mobile/1/appinstance`): all that is known of it.
struct InstallationBody: Sendable, Hashable {
    /// The installation, with the changes made before it had an id; it needs a push token and a push service.
    var installation: InfobipInstallation
    /// The system of the installation.
    var system: InfobipSystemData

    init(_ installation: InfobipInstallation, system: InfobipSystemData) {
        self.installation = installation
        self.system = system
    }

    /// Encodes the JSON text.
    ///
    /// Notifications are always sent as enabled, because apps mostly ask the user later.
    func encoded() -> [UInt8] {
        var members: [String: JSONValue] = [:]
        for (key, value) in self.system.members {
            members[key] = value
        }
        members["applicationUserId"] = self.installation.applicationUserID.map(JSONValue.string)
        members["pushRegId"] = self.installation.pushRegistrationID.map(JSONValue.string)
        members["customAttributes"] = .object(InfobipJSON.object(self.installation.customAttributes))
        members["isPrimary"] = .bool(self.installation.isPrimary)
        members["regEnabled"] = .bool(self.installation.isPushRegistrationEnabled)
        members["notificationsEnabled"] = true
        members["pushServiceType"] = self.installation.pushServiceType.map(JSONValue.string)
        members["pushServiceToken"] = self.installation.pushServiceToken?.withExposed { .string($0) }
        return JSONValue.object(InfobipJSON.object(members) { $0 }).encoded()
    }
}

extension InstallationBody: CustomStringConvertible {
    /// The name of the type, without any content.
    var description: String {
        "InstallationBody"
    }
}
