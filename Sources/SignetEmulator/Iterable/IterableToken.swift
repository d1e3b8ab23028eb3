// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct SignetModel.Secret

/// A token that names the user for whom the bearer acts (JWT, HS256).
struct IterableToken: Sendable, Hashable {
    /// `email`.
    let email: String?
    /// `userId`.
    let userID: String?
    /// `exp`, seconds since 1970.
    let expiry: Int64

    /// The maximum time between `iat` and `exp`, in seconds.
    static let longestLife: Int64 = 365 * 24 * 60 * 60

    /// Checks, in this order, the form, signature, claims, lifetime and expiry of a token.
    ///
    /// - Parameters:
    ///   - text: The token: three parts in base64url, separated by dots.
    ///   - secret: The secret of the project.
    ///   - seconds: The platform's time in seconds since 1970; a token expires when it reaches `exp`.
    /// - Throws: A refusal with status 401 and a message that clients know.
    init(_ text: String, secret: Secret, now seconds: Int64) throws(Refusal) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= JSONWebToken.limits.bytes, parts.count == 3,
            let header = JSONWebToken.object(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else {
            throw .invalidToken("JWT format is invalid")
        }
        // Any other algorithm, above all `none`, proves nothing.
        let code = JSONWebToken.code(of: parts[0] + "." + parts[1], secret: secret)
        guard header["alg"]?.string == "HS256", ConstantTime.isEqual(signature, code) else {
            throw .invalidToken("JWT is invalid")
        }
        guard let claims = JSONWebToken.object(payload), let issued = claims["iat"]?.number?.int64,
            let expiry = claims["exp"]?.number?.int64
        else {
            throw .invalidToken("Invalid payload")
        }
        self.email = Self.text(claims["email"])
        self.userID = Self.text(claims["userId"])
        self.expiry = expiry
        guard self.email != nil || self.userID != nil else {
            throw .invalidToken("JWT payload requires a value for userId or email")
        }
        let (life, overflow) = expiry.subtractingReportingOverflow(issued)
        guard !overflow, life < Self.longestLife else {
            throw .invalidToken("exp must be less than 1 year from iat")
        }
        guard seconds < expiry else { throw .invalidToken("JWT token is expired") }
    }

    /// Returns true when the bearer may act for a user.
    func covers(_ id: EmulatedIterableUserID) -> Bool {
        switch id {
        case .email(let email): self.email == email
        case .userID(let userID): self.userID == userID
        }
    }

    /// The user of the token; the address is preferred to the id.
    var id: EmulatedIterableUserID? {
        self.email.map(EmulatedIterableUserID.email) ?? self.userID.map(EmulatedIterableUserID.userID)
    }

    /// Signs claims as an app's server does.
    static func sign(_ claims: JSONValue, secret: Secret) -> String {
        JSONWebToken.sign(claims, header: ["alg": "HS256", "typ": "JWT"], secret: secret)
    }

    private static func text(_ value: JSONValue?) -> String? {
        value?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
}
