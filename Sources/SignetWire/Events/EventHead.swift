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
    ///   - milliseconds: The time of the event, since 1970: the wall clock at the call, or the app's own time.
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

    /// The values that the head of an event holds.
    package struct Reading: Sendable, Hashable {
        /// The kinds of events that sessions and erasures distinguish.
        package enum Kind: Sendable, Hashable {
            case sessionEnd, optOut, profile, other
        }

        /// The kind of event.
        package let kind: Kind
        /// The time of the event, in milliseconds since 1970: that of its logging, or the app's own time.
        package let milliseconds: Int64
    }

    /// Reads only the beginning of an event that ``write(_:milliseconds:messageID:session:to:)`` wrote.
    ///
    /// - Returns: Nil for other bytes.
    package static func read(_ event: UnsafeRawBufferPointer) -> Reading? {
        var rest = event[...]
        guard Self.skip("{\"event_type\":\"", &rest), let quote = rest.prefix(64).firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        let name = rest[..<quote]
        rest = rest[(quote + 1)...]
        guard Self.skip(",\"data\":{\"timestamp_unixtime_ms\":", &rest) else { return nil }
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        var milliseconds: Int64 = 0
        var digits = 0
        // A time has at most 18 digits.
        while let digit = rest.first, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9"), digits < 18 {
            milliseconds = milliseconds * 10 + Int64(digit - UInt8(ascii: "0"))
            digits += 1
            rest.removeFirst()
        }
        guard digits > 0 else { return nil }
        return Reading(
            kind: Self.kind(named: name),
            milliseconds: isNegative ? -milliseconds : milliseconds
        )
    }

    private static func kind(named name: Slice<UnsafeRawBufferPointer>) -> Reading.Kind {
        if name.elementsEqual("session_end".utf8) { return .sessionEnd }
        if name.elementsEqual("opt_out".utf8) { return .optOut }
        return name.elementsEqual("profile".utf8) ? .profile : .other
    }

    private static func skip(_ text: StaticString, _ rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        let count = text.utf8CodeUnitCount
        let expected = UnsafeRawBufferPointer(start: text.utf8Start, count: count)
        guard rest.count >= count, rest.prefix(count).elementsEqual(expected) else { return false }
        rest = rest.dropFirst(count)
        return true
    }
}

/// The kind of an event, in its name on the wire (Events API v2, `event_type`).
package struct EventKind: Sendable, Hashable {
    /// The name on the wire.
    package let wireName: StaticString

    init(_ wireName: StaticString) {
        self.wireName = wireName
    }

    package static func == (first: EventKind, second: EventKind) -> Bool {
        first.wireName.description == second.wireName.description
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.wireName.description)
    }
}
