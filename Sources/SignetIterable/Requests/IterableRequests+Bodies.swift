// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

// The requests with their bodies. Members are in alphabetical order, so the same request is always the same bytes.
// `createdAt` is in seconds since 1970: the time of the record, tracked or replayed, else the wall clock.
extension IterableRequests {
    /// Makes an unknown user.
    ///
    /// - Parameters:
    ///   - userID: The UUID of the user, the same on every try.
    ///   - criterion: The id of the criterion that matched, which is sent only if it is an integer.
    ///   - sessions: The sessions before the visitor became a user.
    ///   - fields: The fields that the app gave the visitor, without any others; nil for none.
    ///   - allowsNotifications: True if the app may show notifications. A push token is no permission: a device has one before
    ///     the person is asked.
    ///   - now: Seconds since 1970.
    /// - Returns: The request.
    func session(
        _ userID: String,
        matching criterion: String,
        _ sessions: UnknownSessions,
        fields: JSONObject?,
        allowsNotifications: Bool,
        createdAt now: Int64
    ) -> Request {
        let pushOptIn = allowsNotifications && !self.applicationName.isEmpty ? self.applicationName : nil
        let context: [String: JSONValue?] = [
            "firstUnknownSession": .whole(sessions.first), "lastUnknownSession": .whole(sessions.last),
            "matchedCriteriaId": Int64(criterion).map(JSONValue.whole),
            "mobilePushOptIn": pushOptIn.map(JSONValue.string), "totalUnknownSessionCount": .whole(sessions.total),
        ]
        let user: [String: JSONValue?] = [
            "createNewFields": true, "dataFields": fields.map(JSONValue.object), "mergeNestedObjects": true,
            "preferUserId": true, "userId": .string(userID),
        ]
        return Request(
            .session,
            of: .userID(userID),
            [
                "createdAt": .whole(now), "deviceInfo": self.device.json, "unknownSessionContext": .sorted(context),
                "user": .sorted(user),
            ]
        )
    }

    /// Records the consent of a user; `timestamp` is in milliseconds, and an unknown user was made for a visitor.
    func consent(of user: IterableIdentity, at timestamp: Int64, isKnown: Bool, createdAt now: Int64) -> Request {
        Request(
            .consent,
            of: user,
            user.members().merging([
                "consentTimestamp": .whole(timestamp), "createdAt": .whole(now), "deviceInfo": self.device.json,
                "isUserKnown": .bool(isKnown),
            ]) { $1 }
        )
    }

    /// Merges an unknown user, who is gone afterwards, into another, whose token the request carries.
    func merge(_ sourceUserID: String, into user: IterableIdentity, createdAt now: Int64) -> Request {
        Request(
            .merge,
            of: user,
            user.members(email: "destinationEmail", userID: "destinationUserId").merging([
                "createdAt": .whole(now), "sourceUserId": .string(sourceUserID),
            ]) { $1 }
        )
    }

    /// Registers a push token for a user.
    func register(
        _ token: String,
        on platform: String,
        allowsNotifications: Bool?,
        of user: IterableIdentity,
        createdAt now: Int64
    ) -> Request {
        let device: [String: JSONValue?] = [
            "applicationName": .string(self.applicationName),
            "dataFields": .sorted([
                "deviceId": .string(self.device.deviceID),
                "notificationsEnabled": allowsNotifications.map(JSONValue.bool),
            ]),
            "platform": .string(platform), "token": .string(token),
        ]
        return Request(
            .registerDevice,
            of: user,
            user.creatingMembers.merging(["createdAt": .whole(now), "device": .sorted(device)]) { $1 }
        )
    }

    /// Removes a push token of a user, as captured at the call.
    func disable(_ token: String, of user: IterableIdentity, createdAt now: Int64) -> Request {
        let members = user.members().merging(["createdAt": .whole(now), "token": .string(token)]) { $1 }
        return Request(.disableDevice, of: user, members)
    }

    /// Changes the address of a user.
    func changeEmail(of user: IterableIdentity, to email: String, createdAt now: Int64) -> Request {
        Request(
            .updateEmail,
            of: user,
            user.members(email: "currentEmail", userID: "currentUserId").merging([
                "createdAt": .whole(now), "newEmail": .string(email),
            ]) { $1 }
        )
    }

    /// Changes the fields of a user: those of the app, without any added by Signet.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - fields: The new values.
    ///   - mergesNestedObjects: True to merge nested objects member by member, as the app chose when it made the change.
    ///   - createdAt: The time of the change.
    /// - Returns: The request.
    func update(
        of user: IterableIdentity,
        fields: JSONObject,
        mergesNestedObjects: Bool,
        createdAt: Int64
    ) -> Request {
        Request(
            .updateUser,
            of: user,
            user.creatingMembers.merging([
                "createdAt": .whole(createdAt), "dataFields": .object(fields),
                "mergeNestedObjects": .bool(mergesNestedObjects),
            ]) { $1 }
        )
    }

    /// Tracks a custom event; `id` is that by which the service recognises a repeated event.
    func event(
        _ name: String,
        of user: IterableIdentity,
        fields: JSONObject? = nil,
        id: String? = nil,
        createdAt: Int64
    ) -> Request {
        Request(
            .trackEvent,
            of: user,
            user.creatingMembers.merging([
                "createNewFields": true, "createdAt": .whole(createdAt), "dataFields": fields.map(JSONValue.object),
                "eventName": .string(name), "id": id.map(JSONValue.string),
            ]) { $1 }
        )
    }

    /// Tracks a purchase, perhaps because of a message of a campaign.
    func purchase(
        of user: IterableIdentity,
        items: [JSONValue],
        total: JSONNumber,
        fields: JSONObject? = nil,
        id: String? = nil,
        campaign: Int64? = nil,
        template: Int64? = nil,
        createdAt: Int64
    ) -> Request {
        Request(
            .trackPurchase,
            of: user,
            [
                "campaignId": campaign.map(JSONValue.whole), "createdAt": .whole(createdAt),
                "dataFields": fields.map(JSONValue.object), "id": id.map(JSONValue.string), "items": .array(items),
                "preferUserId": user.preference, "templateId": template.map(JSONValue.whole), "total": .number(total),
                "user": .sorted(user.members()),
            ]
        )
    }

    /// Tracks the content of a cart.
    func cart(of user: IterableIdentity, items: [JSONValue], createdAt: Int64) -> Request {
        Request(
            .updateCart,
            of: user,
            [
                "createdAt": .whole(createdAt), "items": .array(items), "preferUserId": user.preference,
                "user": .sorted(user.members()),
            ]
        )
    }
}

extension IterableRequests.Request {
    fileprivate init(_ route: IterableRoute, of user: IterableIdentity, _ members: [String: JSONValue?]) {
        self.init(route: route, body: JSONValue.sorted(members).encoded(), user: user)
    }
}

extension IterableIdentity {
    /// The name as a member.
    fileprivate func members(email: String = "email", userID: String = "userId") -> [String: JSONValue?] {
        switch self {
        case .email(let text): [email: .string(text)]
        case .userID(let text): [userID: .string(text)]
        }
    }

    // `preferUserId`, where there is no address: the service then makes a user of the id. An address makes one anyway.
    fileprivate var preference: JSONValue? {
        if case .userID = self { true } else { nil }
    }

    /// The name, and that the service may make a user of it.
    fileprivate var creatingMembers: [String: JSONValue?] {
        self.members().merging(["preferUserId": self.preference]) { $1 }
    }
}

extension IterableDevice {
    /// `deviceInfo`.
    fileprivate var json: JSONValue {
        .sorted([
            "appPackageName": .string(self.appPackageName), "deviceId": .string(self.deviceID),
            "platform": .string(self.platform),
        ])
    }
}

extension JSONValue {
    fileprivate static func whole(_ value: Int64) -> JSONValue {
        .number(JSONNumber(value))
    }

    /// An object of the members that have a value, by name.
    fileprivate static func sorted(_ members: [String: JSONValue?]) -> JSONValue {
        var object = JSONObject()
        for (key, value) in members.sorted(by: { $0.key < $1.key }) { object[key] = value }
        return .object(object)
    }
}
