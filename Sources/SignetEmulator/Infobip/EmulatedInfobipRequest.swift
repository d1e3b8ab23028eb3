// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date
package import enum SignetTransport.JSONValue

/// A request that reached an application, accepted or refused.
public struct EmulatedInfobipRequest: Sendable, Hashable {
    /// The route of the request.
    public let route: EmulatorRoute
    /// The position in the order over all routes of the application, from 1.
    public let number: Int
    /// The status of the answer.
    public let status: Int
    /// The `messageId` of the answer to a refused request.
    public let messageID: String?
    /// `pushregistrationid`: the registration that sent the request.
    public let registration: String?
    /// The registration in the path, which the request is about.
    public let target: String?
    /// `installationid`.
    public let installationID: String?
    /// `sessionId`.
    public let sessionID: String?
    /// `foreground`.
    public let isForeground: Bool?
    /// `sub` of the request's token; nil without a valid token.
    public let tokenSubject: String?
    /// The time of arrival.
    public let receivedAt: Date
    /// The headers and query items that were missing, repeated or not as documented, and undocumented query items.
    ///
    /// No request is refused for them.
    public let faults: [String]
    /// The body, if it was JSON.
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
