// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A registration of an application: one installation on one device.
struct InstallationRecord: Sendable, Hashable {
    let id: String
    let firstSeen: Int64
    /// `installationid` of the request that registered it.
    let universalID: String?
    /// The key of its person.
    var person: Int
    var marks: Marks = []
    /// The number of registration requests.
    var registrations = 1
    /// The members by their names on the wire.
    var members = JSONObject()
    var custom = JSONObject()
    /// The end of each session, if reported, by its start; both in milliseconds since 1970.
    var sessions: [Int64: Int64?] = [:]

    struct Marks: OptionSet, Sendable, Hashable {
        let rawValue: UInt8

        /// A request assigned the person; an automatically created lead does not count.
        static let personalized = Marks(rawValue: 1)
        /// The primary installation of its person.
        static let primary = Marks(rawValue: 2)
    }

    var isPersonalized: Bool { self.marks.contains(.personalized) }

    var isPrimary: Bool { self.marks.contains(.primary) }

    mutating func apply(_ fields: InstallationFields) {
        for (key, value) in fields.members {
            self.members[key] = value.isNull ? JSONValue?.none : value
        }
        if let address = PushAddress(self.members) { self.members["pushServiceToken"] = .string(address.token) }
        fields.custom.apply(to: &self.custom)
    }

    /// Adds reported sessions; of two ends of one session, the later one wins.
    mutating func take(_ report: SessionReport) {
        for start in report.starts where self.sessions[start] == nil {
            self.sessions[start] = .some(nil)
        }
        for (start, end) in report.bounds {
            self.sessions[start] = max(self.sessions[start].flatMap(\.self) ?? end, end)
        }
    }

    func write(to writer: inout JSONWriter, returnsToken: Bool) {
        writer.beginObject()
        writer.member("pushRegId", self.id)
        writer.member("isPrimary", self.isPrimary)
        for (key, value) in self.members where returnsToken || key != "pushServiceToken" {
            writer.member(key, value)
        }
        writer.member("customAttributes", .object(self.custom))
        writer.endObject()
    }
}

/// The changes that a request makes to an installation; unnamed fields stay.
struct InstallationFields: Sendable {
    /// The members by their names on the wire; null removes one.
    private(set) var members = JSONObject()
    private(set) var isPrimary: Bool?
    private(set) var custom = CustomAttributes.Change.set([:])

    private static let texts: Set<String> = [
        "applicationUserId", "pushServiceType", "pushServiceToken", "sdkVersion", "appVersion", "os", "osVersion",
        "deviceManufacturer", "deviceModel", "deviceName", "language", "deviceTimezoneOffset",
    ]
    private static let flags: Set<String> = ["regEnabled", "notificationsEnabled", "deviceSecure"]
    private static let types = ["APNS", "GCM", "Firebase", "HMS"]

    /// Reads a body; its `pushRegId`, if any, must match the request's target.
    init(_ body: JSONValue, of id: String?, lists: ListAttributes?) throws(Refusal) {
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

/// The push address of an installation; two registrations with the same address are one installation.
struct PushAddress: Sendable, Hashable {
    let service: String
    let token: String

    /// Reads the address from the members of an installation; nil if service or token is missing.
    ///
    /// APNS tokens are hexadecimal and kept in lower case; tokens of other services are case-sensitive.
    init?(_ members: JSONObject) {
        guard let service = members["pushServiceType"]?.string, let token = members["pushServiceToken"]?.string else {
            return nil
        }
        self.service = service
        self.token = service == "APNS" ? token.lowercased() : token
    }
}
