// SPDX-License-Identifier: Apache-2.0

public import Signet

/// The result of ``WebVisitors/visit(_:)`` for one request.
public struct WebVisit: Sendable {
    /// The kinds of visit.
    public enum Outcome: Sendable, Hashable {
        /// A visitor with a signed cookie.
        case known
        /// A visitor who gets a cookie.
        case new
        /// No visitor.
        case skipped(VisitorDecision.Reason)
    }

    /// The kind of visit.
    public let outcome: Outcome
    /// The purpose of the request.
    public let kind: VisitorRequest.Kind
    /// The visitor's installation; nil if the request was skipped.
    public let installation: Installation?
    /// The token to give to the client, for transports without cookies; nil if the client keeps what it has.
    public let token: String?
    /// The value of the `Set-Cookie` field to send with the answer, whatever its status; nil for none.
    ///
    /// An answer with it is for one visitor: send `Cache-Control: private` or `no-store`, and remove the fields of
    /// ``overridesCacheControl(_:)``.
    public let setCookie: String?

    init(
        _ outcome: Outcome,
        _ kind: VisitorRequest.Kind,
        _ installation: Installation?,
        token: String? = nil,
        setCookie: String? = nil
    ) {
        (self.outcome, self.kind, self.installation) = (outcome, kind, installation)
        (self.token, self.setCookie) = (token, setCookie)
    }
}
