// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
/// A parsed path of the live page's interface.
struct PageTarget: Sendable {
    /// The path components after the prefix.
    let words: [String]
    /// The query; of a repeated name, the first value.
    let query: [String: String]

    init(_ path: String) {
        let parts = path.dropFirst(PageRequestHandler.prefix.count).split(separator: "?", maxSplits: 1)
        self.words = (parts.first ?? "").split(separator: "/").map(String.init)
        var query: [String: String] = [:]
        for item in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let name = item.prefix { $0 != "=" }
            let value = String(item.dropFirst(name.count + 1))
            query[String(name)] = query[String(name)] ?? Self.decoded(value)
        }
        self.query = query
    }

    /// Decodes percent-escapes and `+`; invalid escapes stay.
    private static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
