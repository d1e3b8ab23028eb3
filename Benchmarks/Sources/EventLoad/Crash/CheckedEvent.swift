// SPDX-License-Identifier: Apache-2.0

import Signet

/// An event that says whose it is, which one, and the checksum of what it says.
enum CheckedEvent {
    private static let filler = String(repeating: "the quick brown fox jumps over the lazy dog ", count: 8)

    /// Makes one; its length is another one from number to number.
    static func make(producer: Int, number: Int) -> Event {
        let text = String(Self.filler.prefix(number &* 31 % 300))
        let sum = Bytes.hash("\(producer),\(number),\(text)".utf8)
        return .custom(
            "checked",
            attributes: [
                "c": .string(String(sum, radix: 16)),
                "n": .integer(Int64(number)),
                "p": .integer(Int64(producer)),
                "t": .string(text),
            ]
        )
    }

    /// Whether an event says what it was made to say.
    ///
    /// - Parameter json: One event, as it was delivered.
    /// - Returns: Whether its checksum is that of its text.
    static func isSound(_ json: UnsafeRawBufferPointer) -> Bool {
        guard let start = Bytes.find("\"custom_attributes\":{", in: json, from: 0),
            let sum = Self.text("\"c\":\"", in: json, from: start),
            let number = Self.text("\"n\":\"", in: json, from: start),
            let producer = Self.text("\"p\":\"", in: json, from: start),
            let text = Self.text("\"t\":\"", in: json, from: start)
        else { return false }
        return sum == String(Bytes.hash("\(producer),\(number),\(text)".utf8), radix: 16)
    }

    private static func text(_ key: StaticString, in json: UnsafeRawBufferPointer, from start: Int) -> String? {
        guard let place = Bytes.find(key, in: json, from: start) else { return nil }
        let rest = json[(place + key.utf8CodeUnitCount)...]
        return String(decoding: rest.prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}
