// SPDX-License-Identifier: Apache-2.0

import SignetWire

import struct FoundationEssentials.UUID

/// The time, the id and the session of an event, set under the lock of its installation.
struct EventTimestamp: Sendable {
    /// The wall clock at the call, milliseconds since 1970.
    let milliseconds: Int64
    /// The event's own id, by which the platform recognises a repeated event.
    let messageID: UUID
    /// The session; nil outside of one.
    let session: SessionMembers?

    init(_ milliseconds: Int64, _ messageID: UUID, _ session: SessionMembers?) {
        self.milliseconds = milliseconds
        self.messageID = messageID
        self.session = session
    }
}
