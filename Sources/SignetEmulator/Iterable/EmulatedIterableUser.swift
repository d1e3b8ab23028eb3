// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

public import struct FoundationEssentials.Date
public import enum SignetModel.AttributeValue

/// A snapshot of the data of Iterable's API about one user.
public struct EmulatedIterableUser: Sendable, Hashable {
    private let record: IterableUserRecord

    init(_ record: IterableUserRecord) {
        self.record = record
    }

    /// The user's unique number within the project, in the order of creation; it is never reused.
    public var number: Int { self.record.key }
    /// The address.
    public var email: String? { self.record.email }
    /// The user id; for an unknown user, a UUID.
    public var userID: String? { self.record.userID }
    /// True if a client created it for an unknown visitor.
    public var isUnknown: Bool { self.record.marks.contains(.unknown) }
    /// True if a user of the same name was merged away before, so that a late request created it again.
    public var isResurrected: Bool { self.record.marks.contains(.resurrected) }
    /// The fields with single values.
    public var fields: [String: AttributeValue] { IterableFields.singleValues(of: self.json) }
    /// The client's own bookkeeping fields that leaked: `eventType` and `eventTimeStamp`.
    public var bookkeeping: [String] { IterableFields.bookkeeping(in: self.json) }
    /// The devices, in the order of their first registration.
    public var devices: [EmulatedIterableDevice] { self.record.devices }
    /// The cart as of its last update.
    public var cart: [EmulatedIterableItem] { self.record.cart }
    /// The ids of all users that were merged into this one, and its own ids before it was renamed.
    public var mergedFrom: [EmulatedIterableUserID] { self.record.mergedFrom }
    /// The time of creation.
    public var firstSeen: Date { WallClock.date(milliseconds: self.record.firstSeen) }
    /// The fields as JSON, lists and objects included.
    public var fieldsJSON: String { IterableFields.text(of: self.json) }
    /// All fields.
    package var json: JSONObject { self.record.fields }
}

extension EmulatedIterableUser: CustomStringConvertible {
    /// The kind, without names and fields.
    public var description: String {
        "EmulatedIterableUser(\(self.isUnknown ? "unknown" : "known"), \(self.fields.count) fields)"
    }
}

/// The id of a user of Iterable's API.
public enum EmulatedIterableUserID: Sendable, Hashable {
    /// An e-mail address, compared exactly.
    case email(String)
    /// A user id; that of an unknown user is a UUID.
    case userID(String)
}

extension EmulatedIterableUserID: CustomStringConvertible {
    /// The kind, without the value.
    public var description: String {
        switch self {
        case .email: "email"
        case .userID: "userId"
        }
    }
}

/// A push token of a user.
public struct EmulatedIterableDevice: Sendable, Hashable {
    /// `token`.
    public let token: String
    /// `platform`, such as `APNS`.
    public let platform: String
    /// `applicationName`.
    public let applicationName: String
    /// The members of `dataFields` with single values.
    public let fields: [String: AttributeValue]
    /// False after `users/disableDevice`, until it is registered again.
    public internal(set) var isEnabled = true
    /// The number of registrations for its user.
    public internal(set) var registrations = 1

    private static let members: Set<String> = ["token", "platform", "applicationName", "dataFields"]
    // The client for iOS knows the first two; the one for Android is our own choice.
    private static let platforms = ["APNS", "APNS_SANDBOX", "GCM"]

    init(_ value: JSONValue) throws(Refusal) {
        let members = try ObjectReader(value, path: "device", allowed: Self.members)
        self.token = try members.filledText("token")
        self.platform = try members.required("platform", members.text("platform", oneOf: Self.platforms))
        self.applicationName = try members.filledText("applicationName")
        self.fields = IterableFields.singleValues(of: try members.object("dataFields") ?? JSONObject())
    }
}

extension EmulatedIterableDevice: CustomStringConvertible {
    /// The platform and the state, without the token.
    public var description: String {
        "EmulatedDevice(\(self.platform), \(self.isEnabled ? "enabled" : "disabled"))"
    }
}
