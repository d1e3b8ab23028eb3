//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetModel

import struct FoundationEssentials.Date

/// The members that say in which session an event happened: written once a session, copied for each event.
package struct SessionMembers: Sendable, Hashable {
    /// The JSON, each member behind its comma.
    package let json: [UInt8]

    /// The longest that there is.
    package static let maximumCount = 160

    /// Writes the members of a session.
    package init(_ session: Session) {
        self.json = [UInt8](unsafeUninitializedCapacity: Self.maximumCount) { buffer, count in
            var room = HeadBuffer(UnsafeMutableRawBufferPointer(buffer))
            room.append(",\"session_id\":")
            room.append(session.id)
            room.append(",\"session_uuid\":\"")
            room.append(session.uuid)
            room.append("\",\"session_start_unixtime_ms\":")
            room.append(Self.milliseconds(of: session.startTime))
            count = room.count
        }
    }

    // A date beyond what 64 bits of milliseconds can say becomes the last one that they can.
    private static func milliseconds(of date: Date) -> Int64 {
        let value = (date.timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: value) ?? (value < 0 ? .min : .max)
    }
}
