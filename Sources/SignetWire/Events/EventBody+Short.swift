// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension EventBody {
    /// The room for the escapes of one event, in bytes.
    private static let shortSlack = 48

    /// Writes custom events and screen views into a buffer that is measured first, with one allocation.
    ///
    /// Nearly every event takes this path; its bytes are those of the long path.
    ///
    /// - Returns: Nil for events that need the long path: another kind, an option, a moment, a list, or more escapes than a
    ///   text of a few lines has.
    static func shortDetails(of event: Event) -> EventDetails? {
        guard event.boxedOptions == nil || event.options.isSilent, let size = Self.shortSize(of: event.attributes)
        else { return nil }
        switch event.content {
        case .custom(let name, let type):
            return Self.shortDetails(EventKind("custom_event"), event.attributes, 96 + name.utf8.count + size) { room in
                room.append(",\"custom_event_type\":")
                guard room.appendQuoted(type.wireName) else { return false }
                room.append(",\"event_name\":")
                return room.appendQuoted(name)
            }
        case .screen(let name):
            return Self.shortDetails(EventKind("screen_view"), event.attributes, 64 + name.utf8.count + size) { room in
                room.append(",\"screen_name\":")
                return room.appendQuoted(name)
            }
        default:
            return nil
        }
    }

    @inline(__always)
    private static func shortDetails(
        _ kind: EventKind,
        _ attributes: Attributes,
        _ size: Int,
        _ begin: (inout TextRoom) -> Bool
    ) -> EventDetails? {
        let json = [UInt8](unsafeUninitializedCapacity: size + Self.shortSlack) { buffer, count in
            var room = TextRoom(UnsafeMutableRawBufferPointer(buffer), slack: Self.shortSlack)
            guard begin(&room), Self.write(attributes, to: &room) else { return }
            room.append("}}")
            count = room.count
        }
        return json.isEmpty ? nil : EventDetails(kind: kind, json: json)
    }

    /// Writes the attributes.
    ///
    /// - Returns: True if there was room for their escapes.
    private static func write(_ attributes: Attributes, to room: inout TextRoom) -> Bool {
        guard !attributes.isEmpty else { return true }
        room.append(",\"custom_attributes\":{")
        var isFirst = true
        for (key, value) in attributes.elements {
            if !isFirst { room.append(",") }
            isFirst = false
            guard room.appendQuoted(key) else { return false }
            switch value {
            case .string(let text):
                room.append(":")
                guard room.appendQuoted(text) else { return false }
            case .integer(let number):
                room.append(":\"")
                room.append(number)
                room.append("\"")
            case .double(let number):
                room.append(":\"")
                room.append(number)
                room.append("\"")
            case .bool(true):
                room.append(":\"true\"")
            case .bool(false):
                room.append(":\"false\"")
            case .null:
                room.append(":null")
            case .date, .list:
                return false
            }
        }
        room.append("}")
        return true
    }

    /// The maximum size of the attributes in bytes if nothing needs an escape; nil for moments and lists.
    private static func shortSize(of attributes: Attributes) -> Int? {
        // The name of the member, and for each attribute four quotes, a colon and a comma.
        var size = 24
        for (key, value) in attributes.elements {
            size += key.utf8.count + 6
            switch value {
            case .string(let text): size += text.utf8.count
            case .integer: size += 20
            case .double: size += TextRoom.longestDouble
            case .bool, .null: size += 5
            case .date, .list: return nil
            }
        }
        return size
    }
}
