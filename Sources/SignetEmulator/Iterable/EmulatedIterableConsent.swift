// SPDX-License-Identifier: Apache-2.0

import SignetTransport

public import struct FoundationEssentials.Date

/// An entry in the log of consent.
public struct EmulatedIterableConsent: Sendable, Hashable {
    /// The user who gave consent.
    public let user: EmulatedIterableUserID
    /// `consentTimestamp`, which is in milliseconds.
    public let consentedAt: Date
    /// `isUserKnown`.
    public let isUserKnown: Bool
    /// `deviceId`.
    public let deviceID: String
    /// `createdAt`.
    public let createdAt: Date?
    /// True if the user existed at arrival.
    public internal(set) var userExisted = false
    /// The number of its request, in order over all routes of the project.
    public internal(set) var number = 0
    /// The time of arrival.
    public internal(set) var receivedAt = Date(timeIntervalSince1970: 0)

    private static let members: Set<String> = [
        "consentTimestamp", "email", "userId", "isUserKnown", "deviceInfo", "createdAt",
    ]

    init(_ body: JSONValue) throws(Refusal) {
        let members = try ObjectReader(body, allowed: Self.members)
        self.user = try members.visitorID()
        let stamp = try members.required("consentTimestamp", members.integer("consentTimestamp"))
        guard stamp > 0 else { throw members.wrong("consentTimestamp", "milliseconds since 1970") }
        self.consentedAt = WallClock.date(milliseconds: stamp)
        self.isUserKnown = try members.required("isUserKnown", members.flag("isUserKnown"))
        self.deviceID = try members.deviceID()
        self.createdAt = try members.seconds("createdAt")?.date
    }
}

extension EmulatedIterableConsent: CustomStringConvertible {
    /// The request number, without names.
    public var description: String {
        "EmulatedConsent(of \(self.isUserKnown ? "a known" : "an unknown") user, request \(self.number))"
    }
}
