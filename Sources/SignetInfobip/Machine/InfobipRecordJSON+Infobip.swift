// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport

extension InfobipUser {
    /// The person on disk, including lead or customer; nil for an empty one.
    var record: JSONValue? {
        guard self != InfobipUser() else { return nil }
        typealias Record = InfobipRecordJSON
        var object = JSONObject()
        object["type"] = self.type.map { .string($0.rawValue) }
        object["is"] = self.asChanges.record
        object["on"] = self.installations.isEmpty ? nil : .array(self.installations.map(\.record))
        return .object(object)
    }

    /// Reads a person from disk.
    init(record: JSONValue?) {
        self = InfobipUser().applying(InfobipUserChanges(record: record?["is"]))
        self.type = record?["type"]?.string.flatMap(InfobipPersonType.init)
        self.installations = record?["on"]?.array?.map(InfobipInstallation.init(record:)) ?? []
    }
}

extension InfobipInstallation {
    /// The installation on disk.
    var record: JSONValue {
        typealias Record = InfobipRecordJSON
        var object = JSONObject()
        object["id"] = self.pushRegistrationID.map(JSONValue.string)
        object["enabled"] = .bool(self.isPushRegistrationEnabled)
        object["primary"] = .bool(self.isPrimary)
        object["shows"] = .bool(self.notificationsEnabled)
        object["app"] = self.applicationUserID.map(JSONValue.string)
        object["custom"] = Record.object(self.customAttributes) { Record.json($0) }
        object["service"] = self.pushServiceType.map(JSONValue.string)
        object["token"] = self.pushServiceToken?.withExposed { .string($0) }
        object["system"] = self.system.record
        return .object(object)
    }

    /// Reads an installation from disk.
    init(record: JSONValue) {
        typealias Record = InfobipRecordJSON
        self.init()
        self.pushRegistrationID = record["id"]?.string
        self.isPushRegistrationEnabled = record["enabled"]?.bool ?? true
        self.isPrimary = record["primary"]?.bool ?? false
        self.notificationsEnabled = record["shows"]?.bool ?? true
        self.applicationUserID = record["app"]?.string
        self.customAttributes = Record.members(record["custom"]) { Record.value($0) }
        self.pushServiceType = record["service"]?.string
        self.pushServiceToken = record["token"]?.string.map { Secret($0) }
        self.system = InfobipInstallationSystem(record: record["system"])
    }
}

extension InfobipInstallationSystem {
    fileprivate var record: JSONValue? {
        guard self != InfobipInstallationSystem() else { return nil }
        var object = JSONObject()
        object["sdk"] = self.sdkVersion.map(JSONValue.string)
        object["app"] = self.appVersion.map(JSONValue.string)
        object["os"] = self.os.map(JSONValue.string)
        object["osVersion"] = self.osVersion.map(JSONValue.string)
        object["maker"] = self.deviceManufacturer.map(JSONValue.string)
        object["model"] = self.deviceModel.map(JSONValue.string)
        object["name"] = self.deviceName.map(JSONValue.string)
        object["secure"] = self.deviceSecure.map(JSONValue.bool)
        object["language"] = self.language.map(JSONValue.string)
        object["zone"] = self.timeZoneOffset.map(JSONValue.string)
        return .object(object)
    }

    fileprivate init(record: JSONValue?) {
        self.init()
        self.sdkVersion = record?["sdk"]?.string
        self.appVersion = record?["app"]?.string
        self.os = record?["os"]?.string
        self.osVersion = record?["osVersion"]?.string
        self.deviceManufacturer = record?["maker"]?.string
        self.deviceModel = record?["model"]?.string
        self.deviceName = record?["name"]?.string
        self.deviceSecure = record?["secure"]?.bool
        self.language = record?["language"]?.string
        self.timeZoneOffset = record?["zone"]?.string
    }
}
