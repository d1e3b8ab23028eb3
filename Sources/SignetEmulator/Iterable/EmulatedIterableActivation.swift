// SPDX-License-Identifier: Apache-2.0

import SignetTransport

public import struct FoundationEssentials.Date

/// A request of a client to create an unknown user.
public struct EmulatedIterableActivation: Sendable, Hashable {
    /// `userId`.
    public let userID: String
    /// `matchedCriteriaId`; clients omit an id that is not an integer.
    public let matchedCriteriaID: Int64?
    /// `totalUnknownSessionCount`.
    public let totalSessions: Int64
    /// `firstUnknownSession`.
    public let firstSession: Date
    /// `lastUnknownSession`.
    public let lastSession: Date
    /// `createdAt`.
    public let createdAt: Date?
    /// `deviceId`.
    public let deviceID: String
    /// `mobilePushOptIn`.
    public let pushOptIn: String?
    /// The number of its request, in order over all routes of the project.
    public internal(set) var number = 0
    /// The time of arrival.
    public internal(set) var receivedAt = Date(timeIntervalSince1970: 0)
    /// True if the user existed: the client repeats the request after a lost answer or a crash.
    public internal(set) var isRepetition = false
    /// The fields of the new user.
    let fields: IterableFieldsChange

    private static let members: Set<String> = ["user", "createdAt", "deviceInfo", "unknownSessionContext"]
    private static let userMembers: Set<String> = [
        "userId", "preferUserId", "mergeNestedObjects", "createNewFields", "dataFields",
    ]
    private static let contextMembers: Set<String> = [
        "totalUnknownSessionCount", "lastUnknownSession", "firstUnknownSession", "matchedCriteriaId", "mobilePushOptIn",
    ]

    init(_ body: JSONValue) throws(Refusal) {
        let members = try ObjectReader(body, allowed: Self.members)
        let user = try ObjectReader(
            members.required("user", members.value("user")),
            path: "user",
            allowed: Self.userMembers
        )
        let value = try members.required("unknownSessionContext", members.value("unknownSessionContext"))
        let context = try ObjectReader(value, path: "unknownSessionContext", allowed: Self.contextMembers)
        self.userID = try user.filledText("userId")
        // The vendor's client for browsers omits it, and the client for phones sends true.
        guard try user.flag("preferUserId") ?? true else { throw user.wrong("preferUserId", "true") }
        _ = try user.flag("createNewFields")
        self.fields = try IterableFieldsChange(user)
        self.matchedCriteriaID = try context.integer("matchedCriteriaId")
        self.totalSessions = try context.required(
            "totalUnknownSessionCount",
            context.integer("totalUnknownSessionCount")
        )
        self.firstSession = try context.required("firstUnknownSession", context.seconds("firstUnknownSession"))
        self.lastSession = try context.required("lastUnknownSession", context.seconds("lastUnknownSession"))
        self.pushOptIn = try context.text("mobilePushOptIn")
        self.createdAt = try members.seconds("createdAt")
        self.deviceID = try members.deviceID()
    }
}

extension EmulatedIterableActivation: CustomStringConvertible {
    /// The request number, without id and fields.
    public var description: String {
        "EmulatedActivation(request \(self.number)\(self.isRepetition ? ", again" : ""))"
    }
}

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
        self.createdAt = try members.seconds("createdAt")
    }
}

extension EmulatedIterableConsent: CustomStringConvertible {
    /// The request number, without names.
    public var description: String {
        "EmulatedConsent(of \(self.isUserKnown ? "a known" : "an unknown") user, request \(self.number))"
    }
}

/// A merge of two users.
public struct EmulatedIterableMerge: Sendable, Hashable {
    /// The outcome of the merge.
    public enum Outcome: Sendable, Hashable, CaseIterable {
        /// The destination received the data of the source, which is gone.
        case merged
        /// The destination did not exist; the source took its name.
        case renamed
    }

    /// The source, which no longer exists under this name.
    public let source: EmulatedIterableUserID
    /// The remaining user.
    public let destination: EmulatedIterableUserID
    /// The outcome of the merge.
    public let outcome: Outcome
    /// The user of the request's valid token, if any; the vendor's clients send the token of the destination.
    public let tokenOwner: EmulatedIterableUserID?
    /// The number of its request, in order over all routes of the project.
    public let number: Int
    /// The time of arrival.
    public let receivedAt: Date
}

extension EmulatedIterableMerge: CustomStringConvertible {
    /// The outcome and the request number, without names.
    public var description: String {
        "EmulatedMerge(\(self.outcome), request \(self.number))"
    }
}
