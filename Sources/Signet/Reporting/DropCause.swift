// SPDX-License-Identifier: Apache-2.0

/// The reason why accepted events are given up without delivery.
///
/// Later versions may add causes.
public struct DropCause: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
        case limit, age, hook, forgotten, optedOut, reset, diskFailure, installationGone, unknownUser
    }

    private let kind: Kind

    /// Newer events needed the room.
    ///
    /// Either the journal is full and the configuration drops the oldest events, or an installation without a known
    /// user is at its limit.
    public static let limit = DropCause(kind: .limit)
    /// The events waited longer than ``SignetConfiguration/Events/Storage/maximumAge``.
    public static let age = DropCause(kind: .age)
    /// `onCreateBatch` dropped the batch of the events.
    public static let hook = DropCause(kind: .hook)
    /// The installation or the user of the events was erased.
    public static let forgotten = DropCause(kind: .forgotten)
    /// The installation of the events opted out.
    public static let optedOut = DropCause(kind: .optedOut)
    /// The installation of the events was reset, or removed before its first user came.
    public static let reset = DropCause(kind: .reset)
    /// The disk refused the events, and they stayed in memory until the runtime ended.
    public static let diskFailure = DropCause(kind: .diskFailure)
    /// The shared store no longer has the installation of the events: it was removed, here or by another replica.
    public static let installationGone = DropCause(kind: .installationGone)
    /// The events were logged without the shared store, and the store no longer knows who was the user at that moment.
    public static let unknownUser = DropCause(kind: .unknownUser)

    /// The name of the cause.
    public var description: String {
        self.kind.rawValue
    }
}
