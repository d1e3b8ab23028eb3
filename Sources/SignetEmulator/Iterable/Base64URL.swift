// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// Base 64 with the alphabet for URLs and without padding (RFC 4648, section 5; RFC 7515, section 2).
enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        let text = Base64.encode(bytes).utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: Array(text), as: UTF8.self)
    }

    /// Reads only texts that ``encode(_:)`` can produce; nil for others, such as those with padding or `+`.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var standard: [UInt8] = []
        standard.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: standard.append(byte)
            }
        }
        while !standard.count.isMultiple(of: 4) {
            standard.append(UInt8(ascii: "="))
        }
        return Base64.decode(String(decoding: standard, as: UTF8.self))
    }
}
