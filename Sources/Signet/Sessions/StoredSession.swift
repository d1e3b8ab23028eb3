//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

/// The open session of an installation as kept on disk, so that the next start can end it.
struct StoredSession: Sendable, Hashable {
    /// Which session.
    var session: Session
    /// The last event or change of application state that was written down, in milliseconds since 1970.
    var lastActivity: Int64
    /// From the begin to that, on the clock that never jumps.
    var length: Duration

    /// The JSON on disk.
    func encoded() -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 128)
        writer.beginObject()
        writer.member("uuid", self.session.uuid.uuidString)
        writer.member("start", self.session.startTime.milliseconds)
        writer.member("last", self.lastActivity)
        writer.member("length", self.length.milliseconds)
        writer.endObject()
        return writer.bytes
    }

    /// Reads the JSON on disk; nil when it is not one.
    init?(decoding bytes: [UInt8]) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONReader.read(bytes) } catch { return nil }
        guard let uuid = value["uuid"]?.string.flatMap(UUID.init(uuidString:)),
            let start = value["start"]?.number?.int64, let last = value["last"]?.number?.int64,
            let length = value["length"]?.number?.int64, length >= 0
        else { return nil }
        self.session = Session(uuid: uuid, startTime: Date(milliseconds: start))
        self.lastActivity = last
        self.length = .milliseconds(length)
    }

    /// Makes a record.
    init(session: Session, lastActivity: Int64, length: Duration) {
        self.session = session
        self.lastActivity = lastActivity
        self.length = length
    }
}
