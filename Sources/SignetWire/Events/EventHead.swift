//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import struct FoundationEssentials.UUID

/// The begin of every event: what kind, when, under which id and in which session.
///
/// Written under the lock of an installation, so that the order of the journal is the order of the stamps.
package enum EventHead {
    /// The longest head that there is.
    package static let maximumCount = 176 + SessionMembers.maximumCount

    /// Writes a head.
    ///
    /// - Parameters:
    ///   - kind: What kind of event.
    ///   - milliseconds: The wall clock at the call, since 1970.
    ///   - messageID: The event's own id (`source_message_id`).
    ///   - session: The session's members; nil outside of one.
    ///   - buffer: At least ``maximumCount`` bytes.
    /// - Returns: How many bytes were written; ``EventDetails/json`` goes behind them.
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
