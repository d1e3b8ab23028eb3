// SPDX-License-Identifier: Apache-2.0

/// The address of a server, or of an emulator: `https://host[:port][/prefix]`.
///
/// `http` is allowed only to this machine: `localhost`, `127.0.0.0/8` in dotted decimal, or `[::1]`. Each address has
/// one spelling, so a client connects to exactly the address that was checked. Scheme and host become lower case; the
/// scheme's own port and a slash at the end are removed; every unusual spelling is refused.
public struct ServerURL: Sendable, Hashable {
    /// The maximum length of an address, in bytes.
    static let lengthLimit = 2048

    /// The address without a slash at the end.
    public let text: String
    /// The host in lower case; the IPv6 address in its brackets.
    package let host: String
    /// The port, or nil for the scheme's own.
    package let port: Int?
    /// The path in front of every request path: empty, or with a slash at its start and none at its end.
    package let pathPrefix: String

    /// Reads an address.
    ///
    /// - Parameter text: `https://` or, to this machine, `http://`; a host; optionally a port and a path.
    /// - Throws: ``ServerURL/ParsingError`` with the fault and what is allowed, without repeating the text.
    public init(_ text: String) throws(ServerURL.ParsingError) {
        var rest = Substring(text)
        try Self.checkCharacters(of: text)
        let scheme = try Self.scheme(&rest)

        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains("@") else {
            throw ServerURL.ParsingError(.userInfo, "A server URL must not hold a user name or a password.")
        }
        let (hostText, portText) = try Self.divide(authority)
        let host = try ServerHost(hostText)
        let port = try portText.map(Self.port)
        guard scheme == "https" || host.isLoopback else {
            throw ServerURL.ParsingError(
                .insecure,
                "Plain http is allowed to localhost, 127.x.x.x and [::1] only. Use https."
            )
        }

        self.host = host.text
        self.port = port == (scheme == "https" ? 443 : 80) ? nil : port
        self.pathPrefix = try Self.pathPrefix(rest[end...])
        self.text = "\(scheme)://\(self.host)\(self.port.map { ":\($0)" } ?? "")\(self.pathPrefix)"
    }

    private static func checkCharacters(of text: String) throws(ServerURL.ParsingError) {
        guard text.utf8.count <= Self.lengthLimit else {
            throw ServerURL.ParsingError(.tooLong, "A server URL has at most \(Self.lengthLimit) characters.")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
            throw ServerURL.ParsingError(
                .forbiddenCharacter,
                "A server URL has visible ASCII characters only, without spaces and backslashes."
            )
        }
        guard !text.contains("?"), !text.contains("#") else {
            throw ServerURL.ParsingError(.queryOrFragment, "A server URL must not have a query or a fragment.")
        }
    }

    private static func scheme(_ rest: inout Substring) throws(ServerURL.ParsingError) -> String {
        for scheme in ["https", "http"] where rest.prefix(scheme.count + 3).lowercased() == scheme + "://" {
            rest.removeFirst(scheme.count + 3)
            return scheme
        }
        throw ServerURL.ParsingError(
            .unsupportedScheme,
            "A server URL starts with https:// or, to this machine, http://."
        )
    }

    /// Divides at the colon before the port, ignoring colons inside brackets.
    private static func divide(
        _ authority: Substring
    ) throws(ServerURL.ParsingError) -> (host: Substring, port: Substring?) {
        let hostEnd =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map(authority.index(after:)) ?? authority.endIndex
            : authority.firstIndex(of: ":") ?? authority.endIndex
        let rest = authority[hostEnd...]
        guard let first = rest.first else { return (authority, nil) }
        guard first == ":" else {
            throw ServerURL.ParsingError(.invalidHost, "Only a colon with a port may follow the address in brackets.")
        }
        return (authority[..<hostEnd], rest.dropFirst())
    }

    private static func port(_ digits: Substring) throws(ServerURL.ParsingError) -> Int {
        guard digits.count <= 5, digits.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
            let port = Int(digits), (1...65535).contains(port)
        else {
            throw ServerURL.ParsingError(.invalidPort, "A port is a whole number from 1 to 65535.")
        }
        return port
    }

    private static func pathPrefix(_ path: Substring) throws(ServerURL.ParsingError) -> String {
        let prefix = path.hasSuffix("/") ? path.dropLast() : path
        for segment in prefix.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard !segment.isEmpty, segment != ".", segment != "..", segment.utf8.allSatisfy(Self.isPathByte) else {
                throw ServerURL.ParsingError(
                    .invalidPath,
                    "The path of a server URL has segments of letters, digits and -._~!$&'()*+,;=:@; "
                        + "percent-escapes, empty segments, . and .. are not allowed."
                )
            }
        }
        return String(prefix)
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "-._~!$&'()*+,;=:@".utf8.contains(byte)
        }
    }
}

extension ServerURL: CustomStringConvertible {
    /// The address.
    public var description: String {
        self.text
    }
}

extension ServerURL {
    /// A fault in the address of a server.
    public struct ParsingError: Error, Sendable, Hashable {
        /// The kinds of fault.
        public struct Code: Sendable, Hashable, CustomStringConvertible {
            private enum Kind: String {
                case unsupportedScheme, insecure, userInfo, invalidHost, invalidPort, invalidPath, queryOrFragment
                case forbiddenCharacter, tooLong
            }

            private let kind: Kind

            /// Neither `https://` nor `http://`.
            public static let unsupportedScheme = Code(kind: .unsupportedScheme)
            /// Plain `http` to another machine.
            public static let insecure = Code(kind: .insecure)
            /// A user name or a password before the host.
            public static let userInfo = Code(kind: .userInfo)
            /// No host, or none that is allowed.
            public static let invalidHost = Code(kind: .invalidHost)
            /// No whole number from 1 to 65535.
            public static let invalidPort = Code(kind: .invalidPort)
            /// A path with escapes, empty segments, or steps upwards.
            public static let invalidPath = Code(kind: .invalidPath)
            /// A question mark or a number sign.
            public static let queryOrFragment = Code(kind: .queryOrFragment)
            /// A space, a backslash, a control character, or one beyond ASCII.
            public static let forbiddenCharacter = Code(kind: .forbiddenCharacter)
            /// More than 2048 characters.
            public static let tooLong = Code(kind: .tooLong)

            /// The name of the code.
            public var description: String {
                self.kind.rawValue
            }
        }

        /// The kind of fault.
        public let code: Code
        /// The fault and what is allowed; never the text itself, which may hold a password.
        public let message: String

        init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }
    }
}

extension ServerURL.ParsingError: CustomStringConvertible {
    /// The code and the message.
    public var description: String {
        "\(self.code): \(self.message)"
    }
}
