// SPDX-License-Identifier: Apache-2.0

/// The host of an address: a name, an IPv4 address in dotted decimal, or `[::1]`.
///
/// Resolvers also read `0x7f000001`, `2130706433`, `127.1` and `0177.0.0.1` as addresses of this machine. A check that
/// reads them as names and a client that reads them as addresses disagree, so they are refused.
struct ServerHost: Hashable {
    private static let nameLimit = 253
    private static let labelLimit = 63

    /// The host in lower case.
    let text: String

    init(_ host: Substring) throws(ServerURL.ParsingError) {
        let text = host.lowercased()
        guard !text.isEmpty else {
            throw ServerURL.ParsingError(.invalidHost, "A server URL needs a host.")
        }
        if text.hasPrefix("[") {
            guard text == "[::1]" else {
                throw ServerURL.ParsingError(
                    .invalidHost,
                    "The only IPv6 address that is allowed is [::1]. Use a name for other hosts."
                )
            }
        } else {
            let labels = text.split(separator: ".", omittingEmptySubsequences: false)
            guard text.utf8.count <= Self.nameLimit, labels.allSatisfy(Self.isLabel) else {
                throw ServerURL.ParsingError(
                    .invalidHost,
                    "A host name has labels of 1 to \(Self.labelLimit) letters, digits and hyphens. "
                        + "No label begins or ends with a hyphen, and the name does not end with a dot. "
                        + "It has at most \(Self.nameLimit) characters."
                )
            }
            if let last = labels.last, Self.isNumber(last) {
                guard labels.count == 4, labels.allSatisfy(Self.isOctet) else {
                    throw ServerURL.ParsingError(
                        .invalidHost,
                        "An IPv4 address is four decimal numbers from 0 to 255 without leading zeros."
                    )
                }
            }
        }
        self.text = text
    }

    /// True for this machine, judged by the spelling alone; no resolver is asked.
    var isLoopback: Bool {
        guard self.text != "[::1]", self.text != "localhost" else { return true }
        let labels = self.text.split(separator: ".")
        return labels.first == "127" && labels.last.map(Self.isNumber) ?? false
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...Self.labelLimit).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
            && label.utf8.allSatisfy { byte in
                Self.isDigit(byte) || byte == UInt8(ascii: "-")
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            }
    }

    /// True if an address parser reads the last label as a number.
    ///
    /// The URL standard then reads the whole host as an address.
    private static func isNumber(_ label: Substring) -> Bool {
        label.utf8.allSatisfy(Self.isDigit)
            || (label.hasPrefix("0x") && label.dropFirst(2).allSatisfy { $0.isASCII && $0.isHexDigit })
    }

    private static func isOctet(_ label: Substring) -> Bool {
        guard label.utf8.count <= 3, label.utf8.allSatisfy(Self.isDigit), let value = Int(label) else { return false }
        return value <= 255 && (label == "0" || !label.hasPrefix("0"))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}
