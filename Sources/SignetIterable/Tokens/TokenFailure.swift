// SPDX-License-Identifier: Apache-2.0

import Signet

public import struct FoundationEssentials.Date

/// A failure of a user's token, reported to the app that signs it.
public struct TokenFailure: Sendable, Hashable {
    /// The user that the token is for.
    public let subject: IterableUserID
    /// The reason of the failure.
    public let reason: Reason
    /// The token; nil when there was none.
    ///
    /// It is never part of a description.
    public let failedToken: String?
    /// The time at which the failure was noticed.
    public let date: Date
    /// True if the provider is asked again.
    ///
    /// Otherwise the user's requests fail until a token is set, tries are resumed, or another user becomes current.
    public let willTryAgain: Bool

    /// Makes a failure.
    package init(subject: IterableUserID, reason: Reason, failedToken: String?, date: Date, willTryAgain: Bool) {
        self.subject = subject
        self.reason = reason
        self.failedToken = failedToken
        self.date = date
        self.willTryAgain = willTryAgain
    }

    /// The kinds of failures.
    ///
    /// More may be added, so always handle a default case.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case expired, expirationInvalid, signatureInvalid, formatInvalid, payloadInvalid, userKeyInvalid,
                invalidated
            case missing, other, noToken, providerFailed, providerTimedOut
        }

        private let kind: Kind

        /// It has expired: the service says so, or it was expired when the provider returned it.
        public static let expired = Reason(kind: .expired)
        /// The service says that `exp` is a year or more after `iat`.
        public static let expirationInvalid = Reason(kind: .expirationInvalid)
        /// The service says that it was not signed with the secret of the project.
        public static let signatureInvalid = Reason(kind: .signatureInvalid)
        /// It is no token: the service says so, or it has characters that a token cannot have.
        public static let formatInvalid = Reason(kind: .formatInvalid)
        /// Its payload cannot be read, here or by the service: its expiry, for one.
        public static let payloadInvalid = Reason(kind: .payloadInvalid)
        /// The service says that it names no user, or a user that does not exist.
        public static let userKeyInvalid = Reason(kind: .userKeyInvalid)
        /// The service says that it was revoked before its expiry.
        public static let invalidated = Reason(kind: .invalidated)
        /// The service says that the request had no token.
        public static let missing = Reason(kind: .missing)
        /// The service refused it for another reason, such as a token for another user than the request.
        public static let other = Reason(kind: .other)
        /// The provider returned nil or an empty text.
        public static let noToken = Reason(kind: .noToken)
        /// The provider threw an error.
        public static let providerFailed = Reason(kind: .providerFailed)
        /// The provider did not answer in time.
        public static let providerTimedOut = Reason(kind: .providerTimedOut)

        /// The name of the reason.
        public var description: String {
            self.kind.rawValue
        }
    }
}

extension TokenFailure.Reason {
    /// Reads the message of a refusal, compared as a whole and without regard to the case of ASCII letters.
    init(message: String) {
        self =
            switch message.lowercased() {
            case "exp must be less than 1 year from iat": .expirationInvalid
            case "jwt format is invalid": .formatInvalid
            case "jwt token is expired": .expired
            case "jwt is invalid": .signatureInvalid
            case "jwt payload requires a value for userid or email", "email could not be found": .userKeyInvalid
            case "jwt token has been invalidated": .invalidated
            case "invalid payload": .payloadInvalid
            case "jwt authorization header is not set": .missing
            default: .other
            }
    }
}

extension TokenFailure: CustomStringConvertible, CustomReflectable {
    /// The reason and the claim, without token and user.
    public var description: String {
        "\(self.reason) (\(self.subject), \(self.willTryAgain ? "tried again" : "given up"))"
    }

    /// A mirror with the reason only.
    public var customMirror: Mirror {
        Mirror(self, children: ["reason": self.reason.description])
    }
}
