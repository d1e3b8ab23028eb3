//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetWire

public import struct FoundationEssentials.Date

/// What went wrong with a token, for the app that signs it.
public struct TokenFailure: Sendable, Hashable {
    /// Whose token.
    public let subject: IterableUserID
    /// What was wrong.
    public let reason: Reason
    /// The token; nil when there was none.
    ///
    /// It is never part of a description.
    public let failedToken: String?
    /// When it was noticed.
    public let date: Date
    /// Whether the provider is asked again.
    ///
    /// When it is not, requests of this user fail until a token is given by hand, tries are resumed or another user comes.
    public let willTryAgain: Bool

    /// Makes a failure.
    package init(subject: IterableUserID, reason: Reason, failedToken: String?, date: Date, willTryAgain: Bool) {
        self.subject = subject
        self.reason = reason
        self.failedToken = failedToken
        self.date = date
        self.willTryAgain = willTryAgain
    }

    /// What can be wrong.
    ///
    /// More may come; always have a default.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case expired, expirationInvalid, signatureInvalid, formatInvalid, payloadInvalid, userKeyInvalid,
                invalidated
            case missing, other, noToken, providerFailed, providerTimedOut
        }

        private let kind: Kind

        /// Its time is over: the service says so, or it was so when it came from the provider.
        public static let expired = Reason(kind: .expired)
        /// The service says that `exp` is a year or more after `iat`.
        public static let expirationInvalid = Reason(kind: .expirationInvalid)
        /// The service says that it was not signed with the secret of the project.
        public static let signatureInvalid = Reason(kind: .signatureInvalid)
        /// It is no token: the service says so, or it has characters that no token has.
        public static let formatInvalid = Reason(kind: .formatInvalid)
        /// What it says cannot be read, here or by the service: when it ends, for one.
        public static let payloadInvalid = Reason(kind: .payloadInvalid)
        /// The service says that it names nobody, or nobody that there is.
        public static let userKeyInvalid = Reason(kind: .userKeyInvalid)
        /// The service says that it was ended before its time.
        public static let invalidated = Reason(kind: .invalidated)
        /// The service says that there was none.
        public static let missing = Reason(kind: .missing)
        /// The service refused it for another reason; that it names another user than the request is one.
        public static let other = Reason(kind: .other)
        /// The provider returned nil, or nothing.
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
    /// What the service said.
    package init(_ fault: TokenFault) {
        self =
            switch fault {
            case .expirationInvalid: .expirationInvalid
            case .formatInvalid: .formatInvalid
            case .expired: .expired
            case .signatureInvalid: .signatureInvalid
            case .userKeyInvalid: .userKeyInvalid
            case .invalidated: .invalidated
            case .payloadInvalid: .payloadInvalid
            case .missing: .missing
            case .other: .other
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
