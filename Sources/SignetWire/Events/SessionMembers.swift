// SPDX-License-Identifier: Apache-2.0

package import SignetModel

/// The JSON members that identify the session of an event: written once a session, copied for each event.
package struct SessionMembers: Sendable, Hashable {
    /// The JSON, each member after its comma.
    package let json: [UInt8]

    /// The maximum size in bytes.
    package static let maximumCount = 160

    /// Writes the members of a session.
    package init(_ session: Session) {
        self.json = withUnsafeTemporaryAllocation(byteCount: Self.maximumCount, alignment: 1) { buffer in
            var room = TextRoom(buffer)
            room.append(",\"session_id\":")
            room.append(session.id)
            room.append(",\"session_uuid\":\"")
            room.append(session.uuid)
            room.append("\",\"session_start_unixtime_ms\":")
            room.append(session.startTime.wireMilliseconds)
            // An array of the exact size: a million open sessions keep theirs.
            return Array(buffer[..<room.count])
        }
    }
}
