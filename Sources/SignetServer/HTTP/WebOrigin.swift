// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
/// The origin of a web page: its scheme, host and port (RFC 6454, 6.2).
package struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The origin as browsers write it: in lower case, and without the default port of the scheme.
    package let description: String

    /// Reads an origin; nil for any other text, such as `null`, a wildcard, or a URL with a path.
    ///
    /// - Parameter text: The origin, in any case: `https://shop.example` or `http://localhost:5173`.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let text = text.lowercased()
        for (scheme, defaultPort) in [("http", 80), ("https", 443)] {
            let prefix = scheme + "://"
            guard text.hasPrefix(prefix) else { continue }
            guard let (host, port) = Self.parts(of: text.dropFirst(prefix.count)) else { return nil }
            self.description = prefix + host + (port.map { $0 == defaultPort ? "" : ":\($0)" } ?? "")
            return
        }
        return nil
    }

    private static func parts(of authority: Substring) -> (host: Substring, port: UInt16?)? {
        let host: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[...end]
            let address = host.dropFirst().dropLast()
            guard !address.isEmpty, address.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
        } else {
            host = authority.prefix { $0 != ":" }
            guard !host.isEmpty, host.allSatisfy(Self.isOfName) else { return nil }
        }
        let rest = authority.dropFirst(host.count)
        guard !rest.isEmpty else { return (host, nil) }
        let digits = rest.dropFirst()
        guard rest.first == ":", !digits.isEmpty, digits.allSatisfy(\.isNumber), let port = UInt16(digits) else {
            return nil
        }
        return (host, port)
    }

    // A wildcard is no character of a name.
    private static func isOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "-" || character == "." || character == "_"
    }
}
#endif
