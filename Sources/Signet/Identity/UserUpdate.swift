// SPDX-License-Identifier: Apache-2.0

import SignetModel

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
