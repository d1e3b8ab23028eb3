// SPDX-License-Identifier: Apache-2.0

extension InstallationContext {
    /// The proxies between a visitor and a server, and the field in which they report the address of a client.
    ///
    /// Any client can send such fields. Only the entries that your own proxies have written are trusted, and only in the
    /// field that they write: the other field is ignored.
    public struct TrustedProxies: Sendable, Hashable {
        enum Field: Sendable, Hashable {
            case xForwardedFor
            case forwarded
        }

        let field: Field
        let count: Int

        private init(_ field: Field, _ count: Int) {
            self.field = field
            self.count = max(0, count)
        }

        /// No proxies: visitors connect to the server directly, and the fields are ignored.
        public static let none = InstallationContext.TrustedProxies(.forwarded, 0)

        /// This many proxies each append the address of their client to `X-Forwarded-For`.
        public static func xForwardedFor(_ count: Int) -> InstallationContext.TrustedProxies {
            InstallationContext.TrustedProxies(.xForwardedFor, count)
        }

        /// This many proxies each append an element with `for=` to `Forwarded` (RFC 7239).
        public static func forwarded(_ count: Int) -> InstallationContext.TrustedProxies {
            InstallationContext.TrustedProxies(.forwarded, count)
        }

        /// The maximum size of the field in a request, in bytes.
        private static let fieldLimit = 8 * 1024

        /// Finds the address of a client.
        ///
        /// - Parameters:
        ///   - peer: The address connected to the server.
        ///   - lines: Returns the values of a field, in order.
        /// - Returns: nil where the nearest known hop is not an address.
        func client(peer: String?, _ lines: (_ field: String) -> [String]) -> IPAddress? {
            let connected = peer.flatMap { Self.address(of: $0[...]) }
            guard self.count > 0 else { return connected }
            let values = lines(self.field == .forwarded ? "Forwarded" : "X-Forwarded-For")
            guard values.reduce(0, { $0 + $1.utf8.count }) <= Self.fieldLimit else { return nil }
            let hops: [IPAddress?] =
                switch self.field {
                case .xForwardedFor:
                    values.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
                        .map { Self.address(of: $0.trimmed) }
                case .forwarded: values.flatMap { ForwardedField.addresses(in: $0) }
                }
            guard !hops.isEmpty else { return connected }
            // With fewer hops than proxies, the request did not pass all of them: take the farthest hop that a proxy has seen.
            return hops[max(0, hops.count - self.count)]
        }

        /// Parses an address with or without a port: "192.0.2.1:80", "[2001:db8::1]:80", "2001:db8::1".
        ///
        /// - Returns: nil for names, "unknown" and identifiers such as "_hidden".
        static func address(of node: Substring) -> IPAddress? {
            guard node.utf8.count <= 64 else { return nil }
            if node.first == "[" {
                guard let end = node.firstIndex(of: "]"), Self.isPort(node[node.index(after: end)...]) else {
                    return nil
                }
                let address = IPAddress(node[node.index(after: node.startIndex)..<end])
                return node[..<end].contains(":") ? address : nil
            }
            if let address = IPAddress(node) { return address }
            guard let colon = node.firstIndex(of: ":"), Self.isPort(node[colon...]) else { return nil }
            return IPAddress(node[..<colon])
        }

        /// Accepts an empty text, a numeric port or an obfuscated one (RFC 7239, section 6).
        private static func isPort(_ text: Substring) -> Bool {
            guard !text.isEmpty else { return true }
            guard text.first == ":", (2...17).contains(text.utf8.count) else { return false }
            return text.dropFirst().utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        }
    }
}
