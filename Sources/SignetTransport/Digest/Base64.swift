// SPDX-License-Identifier: Apache-2.0

/// Base 64 with the standard alphabet and padding (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Writes bytes, padded.
    ///
    /// - Returns: Four characters for every three bytes begun.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group {
                bits = bits << 8 | UInt32(byte)
            }
            bits <<= UInt32(8 * (3 - group.count))
            for index in 0..<4 {
                let sextet = Int(bits >> UInt32(18 - 6 * index) & 0x3F)
                text.append(index <= group.count ? Self.alphabet[sextet] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads padded text; accepts only what ``encode(_:)`` can have written.
    ///
    /// - Returns: The bytes; nil for other characters, wrong padding, or unused bits that are not zero.
    package static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { return nil }
        let padding = characters.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        for character in characters.dropLast(padding) {
            guard let sextet = Self.value(of: character) else { return nil }
            bits = bits << 6 | UInt32(sextet)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
                bits &= 1 << UInt32(count) - 1
            }
        }
        return bits == 0 ? bytes : nil
    }

    /// Reads text with the alphabet for URLs or the standard one, padded or not (RFC 4648, section 5).
    ///
    /// - Returns: The bytes; nil for other characters.
    package static func decodeURL(_ text: some StringProtocol) -> [UInt8]? {
        var standard = text.utf8.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
        return Self.decode(String(decoding: standard, as: UTF8.self))
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"):
            character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"):
            62
        case UInt8(ascii: "/"):
            63
        default:
            nil
        }
    }
}
