// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport

/// A token with its expiry and refresh times.
struct HeldToken: Sendable, Hashable {
    /// The token itself.
    let text: Secret
    /// The expiry, in milliseconds since 1970; nil when it is unknown or unreliable.
    var expiry: Int64?
    /// The time to ask for the next token, in milliseconds since 1970; nil to wait until it is needed.
    var refresh: Int64?

    // A header has a limited length.
    private static let longestToken = 16 * 1024
    // The last second of the year 9999: a later expiry is no date.
    private static let latestExpiry: Int64 = 253_402_300_799

    /// The state of a token at a time.
    enum Standing: Sendable, Hashable {
        case fresh
        case due
        case expired
    }

    func standing(at now: Int64) -> Standing {
        if let expiry = self.expiry, expiry <= now { return .expired }
        if let refresh = self.refresh, refresh <= now { return .due }
        return .fresh
    }

    /// True if a text can stand in a header: visible ASCII of limited length.
    static func isUsable(_ text: String) -> Bool {
        (1...Self.longestToken).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The expiry of a token: `exp` of its second part (RFC 7519, section 4.1.4), rounded down.
    ///
    /// - Parameter text: Parts with dots between them, in base 64 for URLs; the standard alphabet and padding are read too.
    /// - Returns: Milliseconds since 1970; nil when `exp` is missing or no date.
    static func expiry(of text: String) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, text.utf8.count <= Self.longestToken, let payload = Base64.decodeURL(parts[1]) else {
            return nil
        }
        let claims = JSONReader.value(payload, limits: JSONLimits(bytes: Self.longestToken))
        guard let number = claims?["exp"]?.number else { return nil }
        if let seconds = number.int64 {
            return (0...Self.latestExpiry).contains(seconds) ? seconds * 1000 : nil
        }
        guard let seconds = number.double, seconds >= 0, seconds <= Double(Self.latestExpiry) else { return nil }
        return Int64(seconds) * 1000
    }
}
