//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import NIOHTTP1

/// Reads what a request line says beside the path, which the rest of the server looks for in the fields.
enum RequestLine {
    /// Whether the version is older than HTTP/1.1.
    static func isOld(_ head: HTTPRequestHead) -> Bool {
        (head.version.major, head.version.minor) < (1, 1)
    }

    /// Whether a value of `Connection` says that the connection ends with this exchange (RFC 9112, 9.6).
    static func saysClose(_ headers: HTTPHeaders) -> Bool {
        headers[canonicalForm: "Connection"].contains { $0.lowercased() == "close" }
    }

    /// Makes an absolute target the path and the `Host` that it names: what `Host` says does not count then (RFC 9112, 3.2.2).
    ///
    /// HTTP/1.1 wants one `Host` all the same: who sends none, or two, is refused for it later.
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
