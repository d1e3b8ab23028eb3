//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetModel
package import SignetTransport

/// The block that says what an installation runs on: part of a registration, of a change when it differs from what was
/// reported last, and of each report of sessions.
package struct InfobipSystemData: Sendable, Hashable {
    /// The members, in alphabetical order.
    package let members: JSONObject

    /// Makes the block.
    ///
    /// - Parameters:
    ///   - system: What it runs on.
    ///   - pushServiceType: Which push service reaches it.
    ///   - notificationsEnabled: Whether its user lets it show messages; nil when nobody knows.
    ///   - isPrivate: Whether model, version of the app, safety, language, name and time zone are kept to oneself.
    package init(
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

    /// What tells this block from another, to be kept when it was reported: 16 hexadecimal digits.
    package var hash: String {
        let hash = SHA256.hash(JSONValue.object(self.members).encoded())
        return Hexadecimal.encode(Array(hash.prefix(8)))
    }
}
