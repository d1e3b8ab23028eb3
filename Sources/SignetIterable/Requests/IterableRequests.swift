// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetTransport
import SignetWire

import struct FoundationEssentials.UUID

/// Converts the operations of a visitor to requests.
struct IterableRequests: Sendable {
    /// One request without its token.
    struct Request: Sendable {
        let route: IterableRoute
        let body: [UInt8]
        /// The user whose token goes with the request.
        let user: IterableIdentity?
    }

    let device: IterableDevice
    let applicationName: String

    /// The request of an operation; nil for one that needs none.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - memory: The memory of the visitor.
    ///   - update: The visitor's own fields, for a new unknown user.
    ///   - now: Milliseconds since 1970.
    /// - Returns: The route, the body and the user whose token goes with it.
    func request(
        for operation: IterableStateMachine.Operation,
        _ memory: IterableMemory,
        update: JSONObject?,
        now: Int64
    ) -> Request? {
        let seconds = now / 1000
        switch operation {
        case .activate(let activation):
            return self.session(activation.userID, activation.criterion, memory, update, seconds)
        case .task(let task, let turn):
            let user = turn.id.wire
            switch task {
            case .create(let userID, let criterion):
                return self.session(userID, criterion, memory, update, seconds)
            case .announce, .awaitToken:
                return nil
            case .merge(let source):
                let body = IterableMergeBody(sourceUserID: source, destination: user, createdAt: seconds)
                return Request(route: .merge, body: body.encoded(), user: user)
            case .consent(let at, let isKnown):
                let body = IterableConsentBody(
                    user: user,
                    consentTimestamp: at,
                    isUserKnown: isKnown,
                    createdAt: seconds,
                    device: self.device
                )
                return Request(route: .consent, body: body.encoded(), user: user)
            case .register(let token, let allowsNotifications):
                var fields: JSONObject = ["deviceId": .string(self.device.deviceID)]
                fields["notificationsEnabled"] = allowsNotifications.map(JSONValue.bool)
                let body = DeviceTokenBody(
                    user: user,
                    token: token.token,
                    platform: token.platform,
                    applicationName: self.applicationName,
                    fields: fields,
                    createdAt: seconds
                )
                return Request(route: .registerDevice, body: body.encoded(), user: user)
            case .disable(let token, let source):
                let owner = source.map { IterableIdentity.userID($0) } ?? user
                let body = DisableDeviceBody(token: token, user: owner, createdAt: seconds)
                return Request(route: .disableDevice, body: body.encoded(), user: owner)
            case .changeEmail(let email):
                let body = IterableEmailBody(current: user, newEmail: email, createdAt: seconds)
                return Request(route: .updateEmail, body: body.encoded(), user: user)
            }
        case .send(let record, let turn):
            return self.record(record, turn.id.wire, seconds)
        }
    }

    private func session(
        _ userID: String,
        _ criterion: String,
        _ memory: IterableMemory,
        _ update: JSONObject?,
        _ now: Int64
    ) -> Request {
        let body = UnknownSessionBody(
            userID: userID,
            fields: update,
            createdAt: now,
            device: self.device,
            sessions: memory.sessions ?? .init(total: 1, first: now, last: now),
            matchedCriteriaID: criterion,
            // A push token is no permission: a device has one before the person is asked.
            pushOptIn: memory.allowsNotifications == true ? self.applicationName : nil
        )
        return Request(route: .session, body: body.encoded(), user: .userID(userID))
    }

    /// The request of a record.
    ///
    /// Every kind carries its time, and nothing about its storage.
    private func record(_ stored: StoredIterableRecord, _ user: IterableIdentity, _ now: Int64) -> Request? {
        let record = stored.record
        let createdAt = record.createdAt ?? now
        let items = record.items?.map { IterableItem(stored: $0) } ?? []
        switch record.kind {
        case .customEvent:
            let body = IterableEventBody(
                user: user,
                name: record.eventName ?? "",
                createdAt: createdAt,
                fields: record.dataFields,
                eventID: stored.id.uuidString
            )
            return Request(route: .trackEvent, body: body.encoded(), user: user)
        case .purchase, .cartUpdate:
            let content: IterableCommerceBody.Content =
                record.kind == .cartUpdate
                ? .cart
                : .purchase(
                    total: record.total?.double ?? 0,
                    fields: record.dataFields,
                    purchaseID: stored.id.uuidString,
                    campaign: record.campaign,
                    template: record.template
                )
            let body = IterableCommerceBody(user: user, items: items, content: content, createdAt: createdAt)
            return Request(route: body.route, body: body.encoded(), user: user)
        case .userUpdate:
            let body = IterableUpdateBody(
                user: user,
                fields: record.dataFields ?? JSONObject(),
                mergesNestedObjects: record.mergesNestedObjects,
                createdAt: createdAt
            )
            return Request(route: .updateUser, body: body.encoded(), user: user)
        default:
            return nil
        }
    }
}
