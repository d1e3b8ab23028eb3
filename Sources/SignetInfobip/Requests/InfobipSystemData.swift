// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

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
