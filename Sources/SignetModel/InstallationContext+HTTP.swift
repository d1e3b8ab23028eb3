// SPDX-License-Identifier: Apache-2.0

// Reads the context of a visitor from HTTP fields, in which any client can send anything: a value that is too long, invalid
// or has control characters is left out, and no value fails a request.
extension InstallationContext {
    /// Makes the context of a visitor from a request.
    ///
    /// Reads `User-Agent`, `Accept-Language` (the preferred language), and the client hints `Sec-CH-UA-Model`,
    /// `Sec-CH-UA-Platform-Version` and `Sec-CH-UA-Arch`, which browsers send when your responses ask for them (`Accept-CH`).
    ///
    /// ```swift
    /// let fields = ["User-Agent": ["Mozilla/5.0"], "X-Forwarded-For": ["192.0.2.1"]]
    /// let context = InstallationContext(peer: "10.0.0.1", trusting: .xForwardedFor(1)) { fields[$0] ?? [] }
    /// try installation.setContext(context)
    /// ```
    ///
    /// - Parameters:
    ///   - peer: The address connected to the server, with or without a port; nil when unknown or not to be used.
    ///   - proxies: Your proxies between the visitor and the server.
    ///   - field: Returns the values of a field, one for each line in order; empty if there is none. Names are passed as spelt
    ///     above; field names are case-insensitive.
    public init(
        peer: String?,
        trusting proxies: InstallationContext.TrustedProxies = .none,
        field: (_ name: String) -> [String]
    ) {
        var device = DeviceInformation()
        device.userAgent = Self.text(field("User-Agent"), upTo: Self.userAgentLimit)
        // Several lines make one list (RFC 9110, section 5.3).
        if let tag = Self.text([field("Accept-Language").joined(separator: ",")], upTo: 4096)
            .flatMap({ LanguageTag.preferred(in: $0) })
        {
            (device.localeLanguage, device.localeCountry) = (tag.language, tag.country)
        }
        device.model = Self.hint(field("Sec-CH-UA-Model"))
        device.systemVersion = Self.hint(field("Sec-CH-UA-Platform-Version"))
        device.processorArchitecture = Self.hint(field("Sec-CH-UA-Arch"))
        self.init(
            device: device == DeviceInformation() ? nil : device,
            ip: proxies.client(peer: peer, field)
        )
    }

    /// Makes the context of a visitor from a request.
    ///
    /// Does the same as ``init(peer:trusting:field:)`` for a list of fields.
    ///
    /// - Parameters:
    ///   - peer: The address connected to the server, with or without a port.
    ///   - proxies: Your proxies between the visitor and the server.
    ///   - fields: Names, in any case, and values, in the order of the request.
    public init(
        peer: String?,
        trusting proxies: InstallationContext.TrustedProxies = .none,
        fields: some Sequence<(name: String, value: String)>
    ) {
        let fields = Array(fields)
        self.init(peer: peer, trusting: proxies) { name in
            fields.filter { Self.isSame($0.name, name) }.map(\.value)
        }
    }

    private static func isSame(_ name: String, _ other: String) -> Bool {
        name.utf8.count == other.utf8.count && name.utf8.elementsEqual(other.utf8) { Self.lower($0) == Self.lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }

    /// Reads a field that must have one line only.
    private static func text(_ lines: [String], upTo limit: Int) -> String? {
        guard lines.count == 1, Self.isPlain(lines[0], upTo: limit) else { return nil }
        let text = lines[0].trimmed
        return text.isEmpty ? nil : String(text)
    }

    /// Reads a client hint, which is quoted.
    private static func hint(_ lines: [String]) -> String? {
        guard let line = Self.text(lines, upTo: 2 * Self.textLimit), let (text, rest) = QuotedText.read(line.utf8[...]),
            rest.isEmpty, !text.isEmpty, Self.isPlain(text, upTo: Self.textLimit)
        else { return nil }
        return text
    }

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
