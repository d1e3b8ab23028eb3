//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

/// Something happened to a visitor.
public struct IterableChange: Sendable {
    /// What.
    public enum Kind: Sendable {
        /// New criteria of the project are here; what is stored has been held against them.
        case criteriaReceived
        /// The criteria of the project could not be fetched or read; the last good ones stay.
        case criteriaFailed(SignetError)
        /// A criterion held, and the service has made an unknown user of this id; its token is asked for next.
        case unknownUserCreated(userID: String)
        /// The service refused to make an unknown user; the visitor stays one.
        case activationFailed(SignetError)
        /// An unknown user was merged into a known one.
        case merged(userID: String, into: IterableUserID)
        /// An unknown user was not merged into the known one that it was to be merged into, and never will be.
        case mergeFailed(userID: String, into: IterableUserID, SignetError)
        /// All that was to be told of what happened before is told.
        case resolved(IterableUserID)
        /// The provider gave no token, or one that is not accepted.
        case tokenFailed(TokenFailure)
        /// A user has gone, and no token of theirs could be had any more: what was left of them was given up.
        case abandoned(IterableUserID, SignetError)
        /// The service refused one record or request for good; it holds up nothing.
        ///
        /// A record counts as dropped, with the cause ``IterableDropCause/refused``.
        case refused(IterableRejection)
        /// Records were given up, but for single ones that the service refused.
        case recordsDropped(Int, IterableDropCause)
    }

    /// Whose visitor.
    public let installation: InstallationID
    /// What.
    public let kind: Kind
}

/// Why records of a visitor were given up.
public enum IterableDropCause: String, Sendable, Hashable, CaseIterable {
    /// Newer records needed the room.
    case limit
    /// The service refused them for good.
    case refused
    /// They were not to be replayed to the user that the visitor became.
    case notReplayed
    /// The visitor took their consent back.
    case consentRevoked
    /// Their user has gone, and no token for them could be had any more.
    case noToken
    /// Their user was erased.
    case forgotten
    /// The installation has opted out.
    case optedOut
    /// They could not be read.
    case damaged
}
