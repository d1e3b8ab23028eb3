// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import SignetWire

/// The answers of Infobip that hold data.
///
/// Unknown values are left out, as the service's own clients do, and so are those that cannot be read: the answer is
/// the same each time it is asked for. An answer that is no object is an error.
enum InfobipReply {
    /// Reads a person.
    ///
    /// - Parameter bytes: The body of a successful answer.
    /// - Returns: The person; an empty one for an empty object.
    /// - Throws: `notJSON` or `invalidReply`.
    static func user(_ bytes: [UInt8]) throws(WireError) -> InfobipUser {
        let object = try Self.object(bytes)
        var user = InfobipUser()
        user.type = object["type"]?.string.flatMap(InfobipPersonType.init)
        user.externalUserID = object["externalUserId"]?.string
        user.firstName = object["firstName"]?.string
        user.middleName = object["middleName"]?.string
        user.lastName = object["lastName"]?.string
        user.gender = object["gender"]?.string.flatMap(InfobipGender.init)
        user.birthday = object["birthday"]?.string.flatMap { CalendarDay($0) }
        user.phones = object["phones"]?.array?.compactMap { $0["number"]?.string } ?? []
        user.emails = object["emails"]?.array?.compactMap { $0["address"]?.string } ?? []
        user.tags = Set(object["tags"]?.array?.compactMap(\.string) ?? [])
        user.customAttributes = InfobipJSON.attributes(object["customAttributes"]?.object)
        user.installations = object["instances"]?.array?.compactMap(\.object).compactMap(Self.installation) ?? []
        return user
    }

    /// Reads an installation.
    ///
    /// - Parameter bytes: The body of a successful answer.
    /// - Returns: The installation.
    /// - Throws: `notJSON` or `invalidReply`, the latter also if the id is missing or cannot stand in a path.
    static func installation(_ bytes: [UInt8]) throws(WireError) -> InfobipInstallation {
        guard let installation = Self.installation(try Self.object(bytes)) else {
            throw WireError(.invalidReply, "The member pushRegId of the answer is not an id.")
        }
        return installation
    }

    /// Reads the address that the service names; nil if it names none.
    ///
    /// - Parameter bytes: The body of a successful answer.
    /// - Returns: The text, to be checked with ``InfobipServer/redirected(to:)``.
    /// - Throws: `notJSON` or `invalidReply`.
    static func baseURL(_ bytes: [UInt8]) throws(WireError) -> String? {
        try Self.object(bytes)["baseUrl"]?.string
    }

    private static func installation(_ object: JSONObject) -> InfobipInstallation? {
        guard let id = object["pushRegId"]?.string, InfobipRoute.isIdentifier(id) else { return nil }
        var installation = InfobipInstallation()
        installation.pushRegistrationID = id
        installation.isPushRegistrationEnabled = object["regEnabled"]?.bool ?? true
        installation.isPrimary = object["isPrimary"]?.bool ?? false
        installation.notificationsEnabled = object["notificationsEnabled"]?.bool ?? true
        installation.applicationUserID = object["applicationUserId"]?.string
        installation.customAttributes = InfobipJSON.attributes(object["customAttributes"]?.object)
        installation.pushServiceType = object["pushServiceType"]?.string
        let service = installation.pushServiceType ?? "APNS"
        installation.pushServiceToken = object["pushServiceToken"]?.string.map {
            Secret(InfobipPushToken.canonical($0, of: service))
        }
        installation.system.sdkVersion = object["sdkVersion"]?.string
        installation.system.appVersion = object["appVersion"]?.string
        installation.system.os = object["os"]?.string
        installation.system.osVersion = object["osVersion"]?.string
        installation.system.deviceManufacturer = object["deviceManufacturer"]?.string
        installation.system.deviceModel = object["deviceModel"]?.string
        installation.system.deviceName = object["deviceName"]?.string
        installation.system.deviceSecure = object["deviceSecure"]?.bool ?? false
        installation.system.language = object["language"]?.string
        installation.system.timeZoneOffset = object["deviceTimezoneOffset"]?.string
        return installation
    }

    private static func object(_ bytes: [UInt8]) throws(WireError) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(bytes, limits: InfobipLimits.answer, faults: .leftOut)
        } catch {
            throw WireError(.notJSON, "The answer of \(bytes.count) bytes is not valid JSON: \(error.message)")
        }
        guard let object = value.object else {
            throw WireError(.invalidReply, "The answer is JSON, but not an object.")
        }
        return object
    }
}
