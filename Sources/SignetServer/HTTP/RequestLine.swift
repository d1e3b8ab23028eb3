// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import NIOHTTP1

/// Reads the parts of a request line beside the path, which the rest of the server expects in the fields.
enum RequestLine {
    /// Returns true when the version is older than HTTP/1.1.
    static func isOld(_ head: HTTPRequestHead) -> Bool {
        (head.version.major, head.version.minor) < (1, 1)
    }

    /// Returns true when a value of `Connection` ends the connection with this exchange (RFC 9112, 9.6).
    static func saysClose(_ headers: HTTPHeaders) -> Bool {
        headers[canonicalForm: "Connection"].contains { $0.lowercased() == "close" }
    }

    /// Splits an absolute target into a path and a `Host`, which replaces the given `Host` (RFC 9112, 3.2.2).
    ///
    /// HTTP/1.1 still requires exactly one `Host`: requests with none or two are refused later.
    static func resolveTarget(_ head: inout HTTPRequestHead) {
        let uri = Array(head.uri.utf8)
        guard let colon = uri.firstIndex(of: UInt8(ascii: ":")), uri[..<colon].allSatisfy(Self.isOfScheme),
            uri[colon...].starts(with: "://".utf8)
        else { return }
        let rest = uri[(colon + 3)...]
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let path = String(decoding: rest[authority.endIndex...], as: UTF8.self)
        head.uri = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
        let hosts = head.headers["Host"].count
        guard hosts == 1 || hosts == 0 && Self.isOld(head) else { return }
        head.headers.replaceOrAdd(name: "Host", value: String(decoding: authority, as: UTF8.self))
    }

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default:
            false
        }
    }
}
#endif
