// SPDX-License-Identifier: Apache-2.0

import SignetWire

import struct FoundationEssentials.UUID

/// The time, the id and the session of an event, set under the lock of its installation.
struct EventTimestamp: Sendable {
    /// The time of the event, milliseconds since 1970: the wall clock at the call, or the app's own time.
    let milliseconds: Int64
    /// The wall clock at the call, from which the event's age counts.
    let loggedAt: Int64
    /// The event's own id, by which the platform recognises a repeated event.
    let messageID: UUID
    /// The session; nil outside of one.
    let session: SessionMembers?

    init(_ milliseconds: Int64, _ messageID: UUID, _ session: SessionMembers?, loggedAt: Int64? = nil) {
        self.milliseconds = milliseconds
        self.loggedAt = loggedAt ?? milliseconds
        self.messageID = messageID
        self.session = session
    }
}
