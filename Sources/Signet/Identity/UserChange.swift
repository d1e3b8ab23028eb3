// SPDX-License-Identifier: Apache-2.0

public import SignetModel

/// A change of the current user: a new one arrived, the same one logged in or out, or they were erased.
public struct UserChange: Sendable, Hashable {
    /// The installation of the change.
    public let installation: InstallationID
    /// The previous user; nil for the first user of the installation, and for the first after an erased one.
    ///
    /// Of an erased user, only the MPID is set.
    public let previous: User?
    /// The current user now; nil if they were erased, or the installation was reset.
    ///
    /// See ``SignetRuntime/eraseUser(_:within:)`` and ``Installation/reset()``.
    public let current: User?
}

/// A change of a user, sent to the platform as an event of that user even if they are not current.
struct UserUpdate: Sendable, Hashable {
    /// The user's MPID; nil before the first user, for whom the change then waits.
    let mpid: MPID?
    /// The content of the event.
    let content: Event.Content

    /// Makes an update for a changed attribute or identity.
    init(_ event: UserEvent, of mpid: MPID?) {
        self.mpid = mpid
        self.content = .user(event)
    }

    /// Makes an update for an opt-out or opt-in.
    init(optedOut isOptedOut: Bool, of mpid: MPID?) {
        self.mpid = mpid
        self.content = .optOut(isOptedOut)
    }
}
