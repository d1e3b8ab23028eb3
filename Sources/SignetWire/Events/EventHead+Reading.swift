// SPDX-License-Identifier: Apache-2.0

extension EventHead {
    /// The values that the head of an event holds.
    package struct Reading: Sendable, Hashable {
        /// The kinds of events that sessions distinguish.
        package enum Kind: Sendable, Hashable {
            case sessionEnd, other
        }

        /// The kind of event.
        package let kind: Kind
        /// The time at which it was logged, in milliseconds since 1970.
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
            kind: name.elementsEqual("session_end".utf8) ? .sessionEnd : .other,
            milliseconds: isNegative ? -milliseconds : milliseconds
        )
    }

    private static func skip(_ text: StaticString, _ rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        let count = text.utf8CodeUnitCount
        let expected = UnsafeRawBufferPointer(start: text.utf8Start, count: count)
        guard rest.count >= count, rest.prefix(count).elementsEqual(expected) else { return false }
        rest = rest.dropFirst(count)
        return true
    }
}
