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
    /// The bundle id of the app; empty when there is none.
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
        case .match:
            return nil
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
                return self.merge(source, into: user, createdAt: seconds)
            case .consent(let at, let isKnown):
                return self.consent(of: user, at: at, isKnown: isKnown, createdAt: seconds)
            case .register(let token, let allowsNotifications):
                return self.register(
                    token.token,
                    on: token.platform,
                    allowsNotifications: allowsNotifications,
                    of: user,
                    createdAt: seconds
                )
            case .disable(let token, let source):
                return self.disable(token, of: source.map { .userID($0) } ?? user, createdAt: seconds)
            case .changeEmail(let email):
                // The change before it was refused, so the user has this address.
                if turn.id == .email(email) { return nil }
                return self.changeEmail(of: user, to: email, createdAt: seconds)
            }
        case .send(let record, let turn):
            return self.request(for: record, of: turn.id.wire, seconds)
        }
    }

    private func session(
        _ userID: String,
        _ criterion: String,
        _ memory: IterableMemory,
        _ update: JSONObject?,
        _ now: Int64
    ) -> Request {
        self.session(
            userID,
            matching: criterion,
            memory.sessions ?? UnknownSessions(total: 1, first: now, last: now),
            fields: update,
            allowsNotifications: memory.allowsNotifications == true,
            createdAt: now
        )
    }

    // Every kind carries its time, and nothing about its storage.
    private func request(for stored: StoredIterableRecord, of user: IterableIdentity, _ now: Int64) -> Request? {
        let record = stored.record
        let createdAt = record.createdAt ?? now
        switch record.kind {
        case .customEvent:
            return self.event(
                record.eventName ?? "",
                of: user,
                fields: record.dataFields,
                id: stored.id.uuidString,
                createdAt: createdAt
            )
        case .purchase:
            return self.purchase(
                of: user,
                items: record.items ?? [],
                total: record.total ?? JSONNumber(0 as Int64),
                fields: record.dataFields,
                id: stored.id.uuidString,
                campaign: record.campaign,
                template: record.template,
                createdAt: createdAt
            )
        case .cartUpdate:
            return self.cart(of: user, items: record.items ?? [], createdAt: createdAt)
        case .userUpdate:
            return self.update(
                of: user,
                fields: record.dataFields ?? JSONObject(),
                mergesNestedObjects: record.mergesNestedObjects,
                createdAt: createdAt
            )
        default:
            return nil
        }
    }
}

/// The device that consent and an unknown user come from (`deviceInfo`).
struct IterableDevice: Sendable, Hashable {
    /// A UUID of the installation.
    var deviceID: String
    /// The kind of device.
    var platform: String
    /// The bundle id of the app; empty when there is none.
    var appPackageName = ""
}

/// The sessions of a visitor before it became a user; times are seconds since 1970.
struct UnknownSessions: Sendable, Hashable {
    /// The number of sessions.
    var total: Int64
    /// The start of the first session.
    var first: Int64
    /// The start of the last session.
    var last: Int64
}

/// The name of a user at Iterable: a UUID for an unknown user, the app's name for a known one.
enum IterableIdentity: Sendable, Hashable {
    /// An e-mail address.
    case email(String)
    /// A user id.
    case userID(String)
}

extension IterableIdentity {
    static func == (lhs: IterableIdentity, rhs: IterableIdentity) -> Bool {
        IterableUserID(lhs) == IterableUserID(rhs)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(IterableUserID(self))
    }
}

extension IterableIdentity: CustomStringConvertible {
    /// The kind, without the value.
    var description: String {
        switch self {
        case .email: "email"
        case .userID: "userId"
        }
    }
}
