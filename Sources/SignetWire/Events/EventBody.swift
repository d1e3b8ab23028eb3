//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetModel
import SignetTransport

import struct FoundationEssentials.Date

/// Writes single events (Events API v2, `event_type` and `data`).
///
/// Every call of `log` comes through here: members go out in a fixed order, nothing is built in between.
package enum EventBody {
    /// Writes an event as one JSON object.
    ///
    /// - Parameters:
    ///   - event: Within ``EventLimits``; what is not finite would be written as null.
    ///   - stamp: When, where and under which id.
    /// - Returns: The JSON text; attributes stand in the order of their keys.
    package static func encode(_ event: Event, stamp: EventStamp) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        switch event.content {
        case .custom(let name, let type):
            Self.begin("custom_event", stamp, in: &writer)
            writer.member("custom_event_type", type.wireName)
            writer.member("event_name", name)
        case .screen(let name):
            Self.begin("screen_view", stamp, in: &writer)
            writer.member("screen_name", name)
        case .purchase(let purchase):
            Self.begin("commerce_event", stamp, in: &writer)
            purchase.write(to: &writer)
        }
        Self.write(event.attributes, to: &writer)
        return Self.end(&writer)
    }

    /// Writes the begin of the stamp's session.
    package static func sessionStart(stamp: EventStamp) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 320)
        Self.begin("session_start", stamp, in: &writer)
        return Self.end(&writer)
    }

    /// Writes the end of the stamp's session.
    ///
    /// - Parameters:
    ///   - milliseconds: How long the session was.
    ///   - stamp: Carries the session that ended.
    /// - Returns: The JSON text.
    package static func sessionEnd(duration milliseconds: Int64, stamp: EventStamp) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 320)
        Self.begin("session_end", stamp, in: &writer)
        writer.member("session_duration_ms", milliseconds)
        return Self.end(&writer)
    }

    private static func begin(_ type: String, _ stamp: EventStamp, in writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("event_type", type)
        writer.key("data")
        writer.beginObject()
        writer.member("timestamp_unixtime_ms", stamp.milliseconds)
        writer.member("source_message_id", stamp.messageID)
        if let session = stamp.session {
            writer.member("session_id", session.id)
            writer.member("session_uuid", session.uuid)
            writer.member("session_start_unixtime_ms", Self.milliseconds(of: session.startTime))
        }
    }

    private static func end(_ writer: inout JSONWriter) -> [UInt8] {
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ attributes: [String: AttributeValue], to writer: inout JSONWriter) {
        guard !attributes.isEmpty else { return }
        writer.key("custom_attributes")
        writer.beginObject()
        for (key, value) in attributes.sorted(by: { $0.key < $1.key }) {
            writer.member(key, value.text)
        }
        writer.endObject()
    }

    // A date beyond what 64 bits of milliseconds can say becomes the last one that they can.
    private static func milliseconds(of date: Date) -> Int64 {
        let value = (date.timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: value) ?? (value < 0 ? .min : .max)
    }
}
