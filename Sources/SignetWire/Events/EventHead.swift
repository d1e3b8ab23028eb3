// SPDX-License-Identifier: Apache-2.0

package import struct FoundationEssentials.UUID

/// The start of every event: its kind, time, id and session.
///
/// It is written under the lock of an installation, so that the journal has the order of the stamps.
package enum EventHead {
    /// The maximum size of a head, in bytes.
    package static let maximumCount = 176 + SessionMembers.maximumCount

    /// Writes a head.
    ///
    /// - Parameters:
    ///   - kind: The kind of event.
    ///   - milliseconds: The wall clock at the call, since 1970.
    ///   - messageID: The event's own id (`source_message_id`).
    ///   - session: The session's members; nil outside of a session.
    ///   - buffer: At least ``maximumCount`` bytes.
    /// - Returns: The number of bytes written; ``EventDetails/json`` follows them.
    package static func write(
        _ kind: EventKind,
        milliseconds: Int64,
        messageID: UUID,
        session: SessionMembers?,
        to buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var room = TextRoom(buffer)
        room.append("{\"event_type\":\"")
        room.append(kind.wireName)
        room.append("\",\"data\":{\"timestamp_unixtime_ms\":")
        room.append(milliseconds)
        room.append(",\"source_message_id\":\"")
        room.append(messageID)
        room.append("\"")
        if let session {
            session.json.withUnsafeBytes { room.append($0) }
        }
        return room.count
    }
}
