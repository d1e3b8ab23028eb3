// SPDX-License-Identifier: Apache-2.0

package import struct FoundationEssentials.UUID
package import struct SignetModel.Session

/// The time, the session and the id of an event.
package struct EventStamp: Sendable, Hashable {
    /// The wall clock at the call, milliseconds since 1970.
    package let milliseconds: Int64
    /// The session; nil outside of a session.
    package let session: Session?
    /// The event's own id, by which the platform recognises a repeated event.
    package let messageID: UUID

    package init(milliseconds: Int64, session: Session?, messageID: UUID) {
        self.milliseconds = milliseconds
        self.session = session
        self.messageID = messageID
    }
}
