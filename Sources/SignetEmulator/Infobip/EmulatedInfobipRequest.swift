//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import struct FoundationEssentials.Date
package import enum SignetTransport.JSONValue

/// A request that reached an application, taken or refused.
public struct EmulatedInfobipRequest: Sendable, Hashable {
    /// What it asked for.
    public let route: EmulatorRoute
    /// The order over all routes of the application, from 1.
    public let number: Int
    /// The status of the answer.
    public let status: Int
    /// The `messageId` of the answer when it was refused.
    public let messageID: String?
    /// `pushregistrationid`: the registration that asked.
    public let registration: String?
    /// The registration in its path: the one that it was about.
    public let target: String?
    /// `installationid`.
    public let installationID: String?
    /// `sessionId`.
    public let sessionID: String?
    /// `foreground`.
    public let isForeground: Bool?
    /// `sub` of the token that came with it; nil for none and for a bad one.
    public let tokenSubject: String?
    /// When it came.
    public let receivedAt: Date
    /// Documented headers and items of the query that were missing, repeated or not as documented, and those that are not
    /// documented; nothing is refused for them.
    public let faults: [String]
    /// The body, when it was JSON.
    package let body: JSONValue?

    init(
        _ request: InfobipRequest,
        number: Int,
        status: Int,
        code: String?,
        tokenSubject: String?,
        at now: Int64
    ) {
        self.route = request.route
        self.number = number
        self.status = status
        self.messageID = code
        self.registration = request.registration
        self.target = request.target.isEmpty ? nil : request.target
        self.installationID = request.only("installationid")
        self.sessionID = request.only("sessionId")
        self.isForeground = request.only("foreground").map { $0 == "true" }
        self.tokenSubject = tokenSubject
        self.receivedAt = WallClock.date(milliseconds: now)
        self.faults = request.faults
        self.body = request.body
    }
}

extension EmulatedInfobipRequest {
    /// The body as JSON text; empty for none.
    public var bodyJSON: String {
        self.body.map { String(decoding: $0.encoded(), as: UTF8.self) } ?? ""
    }
}

extension EmulatedInfobipRequest: CustomStringConvertible {
    /// The route and the status, without names and content.
    public var description: String {
        "EmulatedPeopleRequest(\(self.number): \(self.route.rawValue), \(self.status))"
    }
}
