// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import HTTPTypes
import Hummingbird

/// Prevents foreign pages from using the live page's interface.
///
/// A browser sends the origin of the requesting page with each request. Other clients send none and are allowed.
enum PageGuard {
    /// Returns true when a request may read or change data.
    static func allows(_ request: Request) -> Bool {
        if let site = Self.value("Sec-Fetch-Site", of: request), site != "same-origin", site != "none" {
            return false
        }
        if let origin = Self.value("Origin", of: request) {
            // A proxy before this server may serve its pages over HTTPS.
            let own = (request.head.authority?.lowercased()).map { ["http://\($0)", "https://\($0)"] } ?? []
            guard own.contains(origin.lowercased()) else { return false }
        }
        return true
    }

    /// Returns true when the content type is JSON, which no form of a foreign page can send.
    static func isJSON(_ request: Request) -> Bool {
        let type = request.headers[.contentType]?.lowercased().prefix { $0 != ";" && $0 != " " }
        return type == "application/json"
    }

    /// The headers of each answer, by which the browser loads only this server's resources and no inline scripts.
    static let headers: HTTPFields = {
        var fields = HTTPFields()
        let policy =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'"
        for (name, value) in [
            ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cache-Control", "no-store"),
        ] {
            HTTPField.Name(name).map { fields[$0] = value }
        }
        return fields
    }()

    private static func value(_ name: String, of request: Request) -> String? {
        HTTPField.Name(name).flatMap { request.headers[$0] }
    }
}
#endif
