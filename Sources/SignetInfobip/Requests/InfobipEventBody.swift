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
