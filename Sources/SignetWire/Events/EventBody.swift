// SPDX-License-Identifier: Apache-2.0

package import SignetModel
import SignetTransport

/// Writes single events (Events API v2, `event_type` and `data`).
///
/// Every call of `log` gets here: members are written in a fixed order, without intermediate values.
package enum EventBody {
    /// Writes the details of an event, without its head.
    ///
    /// - Parameter event: Within ``EventLimits``; a number that is not finite would be written as null.
    /// - Returns: The rest of its JSON.
    package static func details(of event: Event) -> EventDetails {
        self.shortDetails(of: event) ?? self.longDetails(of: event)
    }

    /// Writes any event, member by member.
    static func longDetails(of event: Event) -> EventDetails {
        var writer = JSONWriter(continuingObjectReserving: 384)
        let kind: EventKind
        switch event.content {
        case .custom(let name, let type):
            kind = EventKind("custom_event")
            writer.member("custom_event_type", type.wireName)
            writer.member("event_name", name)
        case .screen(let name):
            kind = EventKind("screen_view")
            writer.member("screen_name", name)
            if let activityType = event.options.activityType { writer.member("activity_type", activityType) }
        case .commerce(let commerce):
            kind = EventKind("commerce_event")
            commerce.write(to: &writer)
        case .crash(let report):
            kind = EventKind("crash_report")
            report.write(to: &writer)
        default:
            kind = Self.writeRare(event.content, to: &writer)
        }
        Self.writeCommon(event, to: &writer)
        return Self.end(kind, &writer)
    }

    static func end(_ kind: EventKind, _ writer: inout JSONWriter) -> EventDetails {
        writer.endObject()
        writer.endObject()
        return EventDetails(kind: kind, json: writer.finish())
    }
}

/// An event without its user, time and session: written before these are known, outside of any lock.
package struct EventDetails: Sendable, Hashable {
    /// The kind of event.
    package let kind: EventKind
    /// The members after the head, each after its comma, and the end of the event.
    package let json: [UInt8]

    package init(kind: EventKind, json: [UInt8]) {
        self.kind = kind
        self.json = json
    }
}

extension Event {
    /// Event properties that are sent as attributes, unless the app has set an attribute of that name.
    var addedAttributes: [(key: String, value: AttributeValue)] {
        var added: [(key: String, value: AttributeValue)] = []
        if let category = self.category, self.attributes["$Category"] == nil {
            added.append(("$Category", .string(category)))
        }
        if let timing = self.timing, self.attributes["EventLength"] == nil {
            added.append(("EventLength", .integer(timing.duration)))
        }
        return added
    }
}

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
