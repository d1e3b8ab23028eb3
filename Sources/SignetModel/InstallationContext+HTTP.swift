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
}
