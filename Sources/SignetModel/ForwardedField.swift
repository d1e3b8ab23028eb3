// SPDX-License-Identifier: Apache-2.0

/// Parses the field `Forwarded` (RFC 7239).
enum ForwardedField {
    /// Reads the address of each element, in order; nil for an element without one.
    ///
    /// An invalid line counts as one element without an address: within it, the part that a proxy has written is unknown.
    static func addresses(in line: String) -> [IPAddress?] {
        var scanner = Scanner(line.utf8[...])
        var addresses: [IPAddress?] = []
        repeat {
            guard let node = scanner.readElement() else { return [nil] }
            addresses.append(node.flatMap { InstallationContext.TrustedProxies.address(of: $0[...]) })
        } while scanner.skip(UInt8(ascii: ","))
        return scanner.isAtEnd ? addresses : [nil]
    }

    /// Reads the bytes of a line.
    private struct Scanner {
        private var rest: Substring.UTF8View

        init(_ bytes: Substring.UTF8View) {
            self.rest = bytes
            self.skipSpace()
        }

        var isAtEnd: Bool {
            self.rest.isEmpty
        }

        /// Consumes a separator and the space after it.
        mutating func skip(_ byte: UInt8) -> Bool {
            guard self.rest.first == byte else { return false }
            self.rest = self.rest.dropFirst()
            self.skipSpace()
            return true
        }

        private mutating func skipSpace() {
            self.rest = self.rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        }

        /// Reads pairs up to a comma.
        ///
        /// - Returns: nil when the element is invalid; within, the value of "for", nil if there is none.
        mutating func readElement() -> String?? {
            var node: String?
            repeat {
                // The grammar allows empty elements and empty pairs.
                guard let name = self.readToken() else { continue }
                guard self.rest.first == UInt8(ascii: "=") else { return nil }
                self.rest = self.rest.dropFirst()
                guard let value = self.rest.first == UInt8(ascii: "\"") ? self.readQuoted() : self.readValue() else {
                    return nil
                }
                self.skipSpace()
                if name.lowercased() == "for" {
                    // Each parameter is allowed once.
                    guard node == nil else { return nil }
                    node = value
                }
            } while self.skip(UInt8(ascii: ";"))
            return .some(node)
        }

        private mutating func readToken() -> String? {
            self.read { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
        }

        /// Accepts more than the grammar: some proxies write addresses of version 6 without quotes.
        private mutating func readValue() -> String? {
            self.read { byte in
                switch byte {
                case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "="):
                    false
                default: byte > 0x20 && byte < 0x7F
                }
            }
        }

        private mutating func read(_ isPart: (UInt8) -> Bool) -> String? {
            let part = self.rest.prefix(while: isPart)
            guard !part.isEmpty else { return nil }
            self.rest = self.rest[part.endIndex...]
            return String(Substring(part))
        }

        private mutating func readQuoted() -> String? {
            guard let (value, rest) = QuotedText.read(self.rest) else { return nil }
            self.rest = rest
            return value
        }
    }
}

/// Quoted text with backslash escapes (RFC 9110, section 5.6.4, and RFC 8941, section 3.3.3).
enum QuotedText {
    /// Reads quoted text from its opening quote.
    ///
    /// - Returns: The text, and the bytes after its closing quote; nil if it is invalid.
    static func read(_ bytes: Substring.UTF8View) -> (text: String, rest: Substring.UTF8View)? {
        guard bytes.first == UInt8(ascii: "\"") else { return nil }
        var text: [UInt8] = []
        var position = bytes.index(after: bytes.startIndex)
        while position < bytes.endIndex {
            var byte = bytes[position]
            position = bytes.index(after: position)
            if byte == UInt8(ascii: "\"") { return (String(decoding: text, as: UTF8.self), bytes[position...]) }
            if byte == UInt8(ascii: "\\") {
                guard position < bytes.endIndex else { return nil }
                byte = bytes[position]
                position = bytes.index(after: position)
            }
            guard byte >= 0x20, byte < 0x7F else { return nil }
            text.append(byte)
        }
        return nil
    }
}
