// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct SignetModel.Secret

/// A token (JWT) in place of the application code.
///
/// The parts and claims are those that the vendor's clients check. The signature is assumed to be HS256: no source names
/// the algorithm.
struct InfobipToken: Sendable, Hashable {
    /// `sub`.
    let subject: String

    private static let headerMembers = ["alg", "typ", "kid"]
    private static let claims = ["typ", "sub", "infobip-api-key", "iat", "exp", "jti"]

    /// Checks the form, the signature and the expiry of a token.
    ///
    /// - Parameters:
    ///   - text: The token: three parts in base64url, separated by dots.
    ///   - secret: The secret of the application.
    ///   - milliseconds: The platform's time in milliseconds since 1970; a token expires when it reaches `exp`.
    /// - Throws: A refusal with status 401 and the reason.
    init(_ text: String, secret: Secret, now milliseconds: Int64) throws(Refusal) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = JSONWebToken.object(parts[0]),
            Self.headerMembers.allSatisfy({ header[$0] != nil })
        else {
            throw .infobipToken(isExpired: false, "The token does not have three parts, or its header is incomplete")
        }
        guard let payload = JSONWebToken.object(parts[1]), Self.claims.allSatisfy({ payload[$0] != nil }),
            let subject = payload["sub"]?.string
        else {
            throw .infobipToken(isExpired: false, "The payload of the token is incomplete")
        }
        let code = JSONWebToken.code(of: parts[0] + "." + parts[1], secret: secret)
        guard header["alg"] == "HS256", let signature = Base64URL.decode(parts[2]),
            ConstantTime.isEqual(signature, code)
        else {
            throw .infobipToken(isExpired: false, "The signature was not made with the secret of the application")
        }
        guard let expiry = Self.seconds(payload["exp"]), Double(milliseconds) / 1000 < expiry else {
            throw .infobipToken(isExpired: true, "The token is expired")
        }
        self.subject = subject
    }

    /// Signs a token as an app's server does; times are in seconds since 1970.
    static func sign(subject: String, issued: Int64, expiry: Int64, secret: Secret) -> String {
        let header: JSONValue = ["alg": "HS256", "typ": "JWT", "kid": "emulated-key"]
        let payload: JSONValue = [
            "typ": "Bearer", "sub": .string(subject), "infobip-api-key": "emulated-api-key",
            "iat": .number(JSONNumber(issued)), "exp": .number(JSONNumber(expiry)),
            "jti": .string("\(subject)-\(issued)"),
        ]
        return JSONWebToken.sign(payload, header: header, secret: secret)
    }

    private static func seconds(_ value: JSONValue?) -> Double? {
        value?.number?.double ?? value?.string.flatMap(Double.init)
    }
}
