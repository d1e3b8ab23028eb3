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

    /// Joins the head and the details.
    package static func encode(_ details: EventDetails, stamp: EventStamp) -> [UInt8] {
        let room = EventHead.maximumCount + details.json.count
        return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            let buffer = UnsafeMutableRawBufferPointer(buffer)
            count = EventHead.write(
                details.kind,
                milliseconds: stamp.milliseconds,
                messageID: stamp.messageID,
                session: stamp.session.map { SessionMembers($0) },
                to: buffer
            )
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: details.json)
            count += details.json.count
        }
    }

    /// Writes an event as one JSON object.
    ///
    /// - Parameters:
    ///   - event: Within ``EventLimits``; a number that is not finite would be written as null.
    ///   - stamp: The time, the session and the id.
    /// - Returns: The JSON text.
    package static func encode(_ event: Event, stamp: EventStamp) -> [UInt8] {
        self.encode(self.details(of: event), stamp: stamp)
    }

    static func end(_ kind: EventKind, _ writer: inout JSONWriter) -> EventDetails {
        writer.endObject()
        writer.endObject()
        return EventDetails(kind: kind, json: writer.finish())
    }
}
