// SPDX-License-Identifier: Apache-2.0

/// The name, the lifetime and the transport of the visitor cookie.
///
/// Its attributes are always `Path=/; Max-Age=…; HttpOnly; SameSite=Lax`, and `Secure` unless it is for development. It has no
/// `Domain`: only the host that has set it gets it back.
public struct VisitorCookie: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The `Max-Age`, counted from the day when the cookie was set; visits do not prolong it.
    public let lifetime: Duration
    /// True for `Secure`: browsers keep and send it over https only.
    public let isSecure: Bool

    /// The longest lifetime, 400 days: browsers cut a longer one.
    public static let maximumLifetime = Duration.seconds(400 * 86_400)

    /// `__Host-signet-visitor` for 365 days over https.
    ///
    /// With the prefix, a browser takes the cookie from this very host over https only; no subdomain can plant one.
    public static let standard = VisitorCookie(
        checked: "__Host-signet-visitor",
        lifetime: .seconds(365 * 86_400),
        isSecure: true
    )

    /// `signet-visitor` for 365 days without `Secure`, for plain http in development.
    public static let development = VisitorCookie(
        checked: "signet-visitor",
        lifetime: .seconds(365 * 86_400),
        isSecure: false
    )

    /// Makes a cookie.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 characters of a token (RFC 9110); `__Host-` in front keeps subdomains from planting one.
    ///   - lifetime: 1 second to 400 days, in whole seconds.
    ///   - isSecure: False for plain http in development.
    /// - Throws: `cookieName`, `insecureName`, `cookieLifetime`.
    public init(
        name: String,
        lifetime: Duration = .seconds(365 * 86_400),
        isSecure: Bool = true
    ) throws(WebVisitorsError) {
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isToken) else {
            throw WebVisitorsError(
                .cookieName,
                "The cookie's name must have 1 to 64 characters: letters, digits and the signs of an HTTP token."
            )
        }
        let prefix = name.lowercased()
        guard isSecure || !prefix.hasPrefix("__host-") && !prefix.hasPrefix("__secure-") else {
            throw WebVisitorsError(
                .insecureName,
                "Browsers refuse \(name) without Secure. Name it without the prefix, or serve https."
            )
        }
        guard lifetime >= .seconds(1), lifetime <= Self.maximumLifetime else {
            throw WebVisitorsError(.cookieLifetime, "The cookie's lifetime must be 1 second to 400 days.")
        }
        self.init(checked: name, lifetime: lifetime, isSecure: isSecure)
    }

    private init(checked name: String, lifetime: Duration, isSecure: Bool) {
        (self.name, self.lifetime, self.isSecure) = (name, lifetime, isSecure)
    }

    /// The value of a `Set-Cookie` field that stores a token.
    public func setting(_ token: String) -> String {
        self.field(token, seconds: self.lifetime.components.seconds)
    }

    /// The value of a `Set-Cookie` field that removes the cookie.
    public var removal: String {
        self.field("", seconds: 0)
    }

    private func field(_ value: String, seconds: Int64) -> String {
        let secure = self.isSecure ? "; Secure" : ""
        return "\(self.name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly\(secure); SameSite=Lax"
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.!#$%&'*+^`|~".utf8.contains(byte)
        }
    }
}
