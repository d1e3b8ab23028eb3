//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

public import struct FoundationEssentials.UUID

/// What became of an alias request.
public struct AliasOutcome: Sendable {
    /// How it ended.
    public enum Kind: Sendable {
        /// The platform has accepted it; events are copied about a day later.
        case accepted
        /// The platform has refused it for good; it is not tried again.
        case refused(SignetError)
        /// One of the two users was erased; it is not sent. See ``SignetRuntime/eraseUser(_:within:)``.
        case forgotten
        /// The installation has opted out before it was sent; it is not, also after opting in again.
        case optedOut
    }

    /// Where it was asked for.
    public let installation: InstallationID
    /// What `alias` returned.
    public let id: UUID
    /// How it ended.
    public let kind: Kind

    /// Whether the platform has accepted it.
    public var isAccepted: Bool {
        if case .accepted = self.kind { true } else { false }
    }
}
