// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date
package import enum SignetTransport.JSONValue

/// A request that reached a project, accepted or refused.
public struct EmulatedIterableRequest: Sendable, Hashable {
    /// The route of the request.
    public let route: EmulatorRoute
    /// The position in the order over all routes of the project, from 1.
    public let number: Int
    /// The status of the answer.
    public let status: Int
    /// The code of the answer to a refused request.
    public let code: String?
    /// The user it was about; nil if it named no user or could not be read.
    public let user: EmulatedIterableUserID?
    /// The user of its token; nil without a valid token.
    public let tokenOwner: EmulatedIterableUserID?
    /// `createdAt` of its body.
    public let createdAt: Date?
    /// `Sent-At`.
    public let sentAt: Date?
    /// The time of arrival.
    public let receivedAt: Date
    /// The headers that were missing, repeated or not as documented; no request is refused for them.
    public let headerFaults: [String]
    /// The body, if it was JSON.
    package let body: JSONValue?

    init(
        _ request: IterableRequest,
        number: Int,
        status: Int,
        code: String?,
        tokenOwner: EmulatedIterableUserID?,
        at now: Int64
    ) {
        var user: EmulatedIterableUserID?
        if case .success(let call) = request.call {
            user = call.user
        }
        self.route = request.route
        self.number = number
        self.status = status
        self.code = code
        self.user = user
        self.tokenOwner = tokenOwner
        self.createdAt = request.body?["createdAt"]?.number?.int64.map { Date(timeIntervalSince1970: Double($0)) }
        self.sentAt = request.sentAt.map { Date(timeIntervalSince1970: Double($0)) }
        self.receivedAt = WallClock.date(milliseconds: now)
        self.headerFaults = request.headerFaults
        self.body = request.body
    }
}

extension EmulatedIterableRequest: CustomStringConvertible {
    /// The route and the status, without names and content.
    public var description: String {
        "EmulatedIterableRequest(\(self.number): \(self.route.rawValue), \(self.status))"
    }
}
