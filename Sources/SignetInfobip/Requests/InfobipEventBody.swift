// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

import struct FoundationEssentials.Date

/// Custom events of a person (`POST …/user/events/custom`).
enum InfobipEventBody {
    /// Encodes one event as it is kept, and later sent.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - date: The time of the event.
    /// - Returns: The JSON text of one element of the body.
    static func element(_ event: InfobipEvent, at date: Date) -> [UInt8] {
        var object: JSONObject = [
            "date": .string(InfobipMoment.text(date)), "definitionId": .string(event.definitionID),
        ]
        if !event.properties.isEmpty {
            object["properties"] = .object(InfobipJSON.object(event.properties, InfobipJSON.eventJSON))
        }
        return JSONValue.object(object).encoded()
    }

    /// Encodes a body of events, in their order.
    ///
    /// - Parameter elements: Elements made by ``element(_:at:)``.
    /// - Returns: The JSON text.
    static func encoded(_ elements: [[UInt8]]) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: elements.reduce(64) { $0 + $1.count + 1 })
        writer.beginObject()
        writer.key("events")
        writer.beginArray()
        for element in elements {
            writer.raw(element)
        }
        writer.endArray()
        writer.endObject()
        return writer.finish()
    }
}

/// The started and finished sessions of an installation (`POST …/user/events/session`).
struct UserSessionsBody: InfobipBody {
    /// A finished session.
    struct Bounds: Sendable, Hashable {
        var start: Date
        var end: Date
    }

    let members: JSONObject

    /// Makes the body.
    ///
    /// The text has a precision of one second. Of sessions that started in the same second, the later end counts.
    ///
    /// - Parameters:
    ///   - starts: The starts of sessions that were not reported yet.
    ///   - bounds: The finished sessions.
    ///   - system: The system of the installation.
    init(starts: [Date], bounds: [Bounds], system: InfobipSystemData) {
        var ends: [String: String] = [:]
        for bounds in bounds {
            // Texts of this form sort by time.
            ends.merge([InfobipMoment.text(bounds.start): InfobipMoment.text(bounds.end)]) { max($0, $1) }
        }
        var members = JSONObject()
        if !ends.isEmpty { members["sessionBounds"] = .object(InfobipJSON.object(ends, JSONValue.string)) }
        if !starts.isEmpty {
            members["sessionStarts"] = .array(Set(starts.map(InfobipMoment.text)).sorted().map(JSONValue.string))
        }
        members["systemData"] = .object(system.members)
        self.members = members
    }
}
