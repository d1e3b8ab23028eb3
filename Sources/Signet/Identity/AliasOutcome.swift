// SPDX-License-Identifier: Apache-2.0

public import SignetModel

public import struct FoundationEssentials.UUID

/// The final outcome of an alias request.
public struct AliasOutcome: Sendable {
    /// The ways in which an alias request ends.
    public enum Kind: Sendable {
        /// The platform accepted the request; it copies the events about a day later.
        case accepted
        /// The platform refused the request for good; Signet does not try again.
        case refused(SignetError)
        /// One of the two users was erased, so the request is not sent. See ``SignetRuntime/eraseUser(_:within:)``.
        case forgotten
        /// The installation opted out before the request was sent. Opting in again does not send it.
        case optedOut
    }

    /// The installation on which the alias was requested.
    public let installation: InstallationID
    /// The id that `alias` returned.
    public let id: UUID
    /// The way in which the request ended.
    public let kind: Kind

    /// True if the platform accepted the request.
    public var isAccepted: Bool {
        if case .accepted = self.kind { true } else { false }
    }
}
