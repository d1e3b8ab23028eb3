// SPDX-License-Identifier: Apache-2.0

public import Signet
public import SignetModel

/// A change of a visitor, a user or the project's criteria at Iterable.
public struct IterableChange: Sendable {
    /// The kind of change.
    public enum Kind: Sendable {
        /// The new criteria of the project have arrived, and the stored records were matched against them.
        case criteriaReceived
        /// The criteria of the project could not be fetched or read. The last good ones stay in use.
        case criteriaFailed(SignetError)
        /// A criterion matched, and Iterable has made an unknown user of this id. Its token is requested next.
        case unknownUserCreated(userID: String)
        /// Iterable refused to make an unknown user. The visitor stays a visitor.
        case activationFailed(SignetError)
        /// An unknown user was merged into a known one.
        case merged(userID: String, into: IterableUserID)
        /// An unknown user was not merged into its known user, and never will be.
        case mergeFailed(userID: String, into: IterableUserID, SignetError)
        /// Everything that happened before has been delivered for this user.
        case resolved(IterableUserID)
        /// The provider gave no token, or one that is not accepted.
        case tokenFailed(TokenFailure)
        /// A user has left and no token for them is available any more. Their undelivered work was dropped.
        case abandoned(IterableUserID, SignetError)
        /// Iterable rejected one record or request for good. Later ones are not held up.
        ///
        /// A record counts as dropped, with the cause ``IterableDropCause/rejected``.
        case rejected(IterableRejection)
        /// Records were dropped. Single records that Iterable refused are reported as ``rejected(_:)`` instead.
        case recordsDropped(Int, IterableDropCause)
    }

    /// The installation of the visitor.
    public let installation: InstallationID
    /// The kind of change.
    public let kind: Kind
}

/// The reason that records of a visitor were dropped.
public enum IterableDropCause: String, Sendable, Hashable, CaseIterable {
    /// Newer records needed the room.
    case limit
    /// Iterable refused them for good.
    case rejected
    /// The configuration or the call excluded them from the replay to the user that the visitor became.
    case notReplayed
    /// The visitor revoked their consent.
    case consentRevoked
    /// Their user has left, and no token for them is available any more.
    case noToken
    /// Their user was erased, or their installation was reset.
    case forgotten
    /// The installation has opted out.
    case optedOut
    /// They could not be read.
    case damaged
    /// They were copies of logged events that no record can hold, such as one with a name of more than 255 bytes.
    case invalid
}
