// SPDX-License-Identifier: Apache-2.0

import SignetTransport

public import enum SignetModel.AttributeValue

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
