// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
/// The rule for accepted `Host` headers: IP addresses, `localhost`, and allowed names.
///
/// A foreign page can point its own name to this machine, and its script could then read this server's answers as if they
/// were the page's own (DNS rebinding). The browser sends that name, so it is refused. An address cannot be pointed
/// elsewhere.
struct HostRule: Sendable {
    private let names: Set<String>

    init(names: Set<String> = []) {
        self.names = Set(names.map { $0.lowercased() }).union(["localhost"])
    }

    /// Returns true when the value of a `Host` header, with or without a port, is accepted.
    func allows(_ authority: String?) -> Bool {
        guard let authority, let host = Self.host(of: authority) else { return false }
        if host.hasPrefix("[") {
            return host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        return self.names.contains(host) || Self.isAddress(host)
    }

    /// Returns the host without its port, in lower case; nil if it is invalid.
    private static func host(of authority: String) -> String? {
        let text = authority.lowercased()
        let end: String.Index
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            end = text.index(after: bracket)
        } else {
            end = text.firstIndex(of: ":") ?? text.endIndex
        }
        let port = text[end...]
        guard port.isEmpty || port.first == ":" && port.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
        return end == text.startIndex ? nil : String(text[..<end])
    }

    private static func isAddress(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy { $0.isASCII && $0.isNumber } && UInt8(part) != nil
            }
    }
}
#endif
