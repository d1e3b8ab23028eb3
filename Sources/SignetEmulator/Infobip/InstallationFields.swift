// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The changes that a request makes to an installation; unnamed fields stay.
struct InstallationFields: Sendable {
    /// The members by their names on the wire; null removes one.
    private(set) var members = JSONObject()
    private(set) var isPrimary: Bool?
    private(set) var custom = CustomAttributes.Change()

    private static let texts: Set<String> = [
        "applicationUserId", "pushServiceType", "pushServiceToken", "sdkVersion", "appVersion", "os", "osVersion",
        "deviceManufacturer", "deviceModel", "deviceName", "language", "deviceTimezoneOffset",
    ]
    private static let flags: Set<String> = ["regEnabled", "notificationsEnabled", "deviceSecure"]
    private static let types = ["APNS", "GCM", "Firebase", "HMS"]

    /// Reads a body; its `pushRegId`, if any, must match the request's target.
    init(
        _ body: JSONValue,
        of id: String?,
        lists: [String: [String: EmulatedInfobipApplication.Kind]]?
    ) throws(Refusal) {
        guard let object = body.object else { throw .formatInvalid("The body", shouldBe: "an object") }
        guard !object.isEmpty else { throw .formatInvalid("The body changes nothing") }
        for (key, value) in object {
            switch key {
            case "pushRegId":
                guard value.isNull || id == nil || value.string == id else { throw .invalidRegistration }
            case "isPrimary":
                guard let flag = value.bool else { throw .formatInvalid(key, shouldBe: "a boolean") }
                self.isPrimary = flag
            case "customAttributes":
                self.custom = try CustomAttributes.Change(value, lists: lists)
            default:
                self.members[key] = try Self.checked(value, key)
            }
        }
    }

    private static func checked(_ value: JSONValue, _ key: String) throws(Refusal) -> JSONValue {
        if Self.flags.contains(key) {
            guard value.bool != nil else { throw .formatInvalid(key, shouldBe: "a boolean") }
            return value
        }
        guard Self.texts.contains(key) else { throw .formatInvalid("An installation has no \(key)") }
        guard !value.isNull else { return value }
        guard let text = value.string else { throw .formatInvalid(key, shouldBe: "a string") }
        switch key {
        case "pushServiceType":
            guard Self.types.contains(text) else { throw .unsupportedCloudType }
        case "deviceTimezoneOffset":
            guard Self.isOffset(text) else { throw .formatInvalid(key, shouldBe: "such as GMT+03:30") }
        default:
            break
        }
        return value
    }

    // The format is GMT, a sign, hh:mm.
    private static func isOffset(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 9, text.hasPrefix("GMT"), "+-".utf8.contains(bytes[3]), bytes[6] == UInt8(ascii: ":")
        else { return false }
        return [4, 5, 7, 8].allSatisfy { bytes[$0] &- UInt8(ascii: "0") < 10 }
    }
}
