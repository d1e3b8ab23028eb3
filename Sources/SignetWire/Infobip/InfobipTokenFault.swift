//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// Why a token (JWT) is not sent at all: what can be seen of it without the secret.
package enum InfobipTokenFault: String, Error, Sendable, Hashable, CaseIterable {
    /// There is nothing in it but white space.
    case empty = "The token is empty."
    /// It is not three parts with dots between them.
    case notThreeParts = "The token does not have three parts."
    /// The first part is no JSON object.
    case headerNotJSON = "The header of the token is not JSON."
    /// The header lacks `alg`, `typ` or `kid`.
    case headerIncomplete = "The header of the token lacks alg, typ or kid."
    /// The second part is no JSON object.
    case payloadNotJSON = "The payload of the token is not JSON."
    /// The payload lacks a claim.
    case claimsMissing = "The payload of the token lacks typ, sub, infobip-api-key, iat, exp or jti."
    /// Its time is over, or cannot be read.
    case expired = "The token is expired."

    /// The code by which the vendor's clients call it.
    package var code: String {
        self == .expired ? "JWT_TOKEN_EXPIRED" : "JWT_TOKEN_STRUCTURE_INVALID"
    }

    private static let limits = JSONLimits(bytes: 16 * 1024, depth: 16, values: 1024)

    /// Checks a token before it is sent; its signature is the service's business.
    ///
    /// - Parameters:
    ///   - token: As the app's supplier gave it.
    ///   - milliseconds: The wall clock, milliseconds since 1970; a token whose `exp` is reached is expired.
    /// - Returns: What is wrong first; nil when nothing is.
    package static func fault(in token: String, now milliseconds: Int64) -> InfobipTokenFault? {
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

    // Base 64 with the alphabet for URLs, with padding or without (RFC 4648, 5).
    private static func object(_ part: Substring) -> JSONObject? {
        var text = String(part.filter { $0 != "=" }).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        while !text.count.isMultiple(of: 4) {
            text.append("=")
        }
        guard let bytes = Base64.decode(String(text)) else { return nil }
        do throws(JSONError) {
            return try JSONReader.read(bytes, limits: Self.limits).object
        } catch {
            return nil
        }
    }
}
