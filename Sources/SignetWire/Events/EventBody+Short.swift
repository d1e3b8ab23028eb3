// SPDX-License-Identifier: Apache-2.0

package import SignetModel

extension EventBody {
    /// The room for the escapes of one event, in bytes.
    private static let shortSlack = 48

    /// Writes custom events and screen views into a buffer that is measured first, mostly on the stack.
    ///
    /// Nearly every event takes this path; its bytes are those of the long path.
    ///
    /// - Parameters:
    ///   - event: Within ``EventLimits``.
    ///   - body: Gets the kind and ``EventDetails/json``; the bytes are invalid after it returns. It does not run for events
    ///     that need the long path: another kind, an option, a moment, a list, or more escapes than a text of a few lines has.
    package static func withShortDetails(
        of event: Event,
        _ body: (_ kind: EventKind, _ json: UnsafeRawBufferPointer) -> Void
    ) {
        guard event.boxedOptions == nil || event.options.isSilent, let size = Self.shortSize(of: event.attributes)
        else { return }
        switch event.content {
        case .custom(let name, let type):
            Self.withShortDetails(EventKind("custom_event"), event.attributes, 96 + name.utf8.count + size, body) {
                room in
                room.append(",\"custom_event_type\":")
                guard room.appendQuoted(type.wireName) else { return false }
                room.append(",\"event_name\":")
                return room.appendQuoted(name)
            }
        case .screen(let name):
            Self.withShortDetails(EventKind("screen_view"), event.attributes, 64 + name.utf8.count + size, body) {
                room in
                room.append(",\"screen_name\":")
                return room.appendQuoted(name)
            }
        default:
            return
        }
    }

    @inline(__always)
    private static func withShortDetails(
        _ kind: EventKind,
        _ attributes: Attributes,
        _ size: Int,
        _ body: (_ kind: EventKind, _ json: UnsafeRawBufferPointer) -> Void,
        begin: (inout TextRoom) -> Bool
    ) {
        withUnsafeTemporaryAllocation(byteCount: size + Self.shortSlack, alignment: 1) { buffer in
            var room = TextRoom(buffer, slack: Self.shortSlack)
            guard begin(&room), Self.write(attributes, to: &room) else { return }
            room.append("}}")
            body(kind, UnsafeRawBufferPointer(rebasing: buffer[..<room.count]))
        }
    }

    /// The same in an array.
    ///
    /// - Returns: Nil for events that need the long path.
    static func shortDetails(of event: Event) -> EventDetails? {
        var details: EventDetails?
        Self.withShortDetails(of: event) { details = EventDetails(kind: $0, json: Array($1)) }
        return details
    }

    /// Writes the attributes.
    ///
    /// - Returns: True if there was room for their escapes.
    private static func write(_ attributes: Attributes, to room: inout TextRoom) -> Bool {
        guard !attributes.isEmpty else { return true }
        room.append(",\"custom_attributes\":{")
        for (index, (key, value)) in attributes.elements.enumerated() {
            if index > 0 { room.append(",") }
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
