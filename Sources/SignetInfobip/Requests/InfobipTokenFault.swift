// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A fault of a token (JWT) that can be seen without the secret; such a token is not sent.
enum InfobipTokenFault: String, Error, Sendable, Hashable, CaseIterable {
    /// It is empty, or only white space.
    case empty = "The token is empty."
    /// It does not have three parts with dots between them.
    case notThreeParts = "The token does not have three parts."
    /// The first part is not a JSON object.
    case headerNotJSON = "The header of the token is not JSON."
    /// The header lacks `alg`, `typ` or `kid`.
    case headerIncomplete = "The header of the token lacks alg, typ or kid."
    /// The second part is not a JSON object.
    case payloadNotJSON = "The payload of the token is not JSON."
    /// The payload lacks a claim.
    case claimsMissing = "The payload of the token lacks typ, sub, infobip-api-key, iat, exp or jti."
    /// Its expiry is reached, or cannot be read.
    case expired = "The token is expired."

    /// The code that the vendor's clients use for it.
    var code: String {
        self == .expired ? "JWT_TOKEN_EXPIRED" : "JWT_TOKEN_STRUCTURE_INVALID"
    }

    private static let limits = JSONLimits(bytes: 16 * 1024, depth: 16, values: 1024)

    /// Checks a token before it is sent; the service checks its signature.
    ///
    /// - Parameters:
    ///   - token: The token from the app.
    ///   - milliseconds: The wall clock, in milliseconds since 1970; a token whose `exp` is reached is expired.
    /// - Returns: The first fault; nil if there is none.
    static func fault(in token: String, now milliseconds: Int64) -> InfobipTokenFault? {
        guard token.contains(where: { !$0.isWhitespace }) else { return .empty }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return .notThreeParts }
        guard let header = Self.object(parts[0]) else { return .headerNotJSON }
        guard Self.has(["alg", "typ", "kid"], header) else { return .headerIncomplete }
        guard let payload = Self.object(parts[1]) else { return .payloadNotJSON }
        guard Self.has(["typ", "sub", "infobip-api-key", "iat", "exp", "jti"], payload) else { return .claimsMissing }
        let expiry = payload["exp"]?.number?.double ?? payload["exp"]?.string.flatMap(Double.init)
        guard let expiry, expiry.isFinite, Double(milliseconds) / 1000 < expiry else { return .expired }
        return nil
    }

    private static func has(_ names: [String], _ object: JSONObject) -> Bool {
        names.allSatisfy { object[$0].map { !$0.isNull } ?? false }
    }

    private static func object(_ part: Substring) -> JSONObject? {
        Base64.decodeURL(part).flatMap { JSONReader.value($0, limits: Self.limits)?.object }
    }
}
