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
    private static let limits = JSONLimits(bytes: 16 * 1024, depth: 8, values: 256)

    /// Checks, in this order, the form, signature, claims, lifetime and expiry of a token.
    ///
    /// - Parameters:
    ///   - text: The token: three parts in base64url, separated by dots.
    ///   - secret: The secret of the project.
    ///   - seconds: The platform's time in seconds since 1970; a token expires when it reaches `exp`.
    /// - Throws: A refusal with status 401 and a message that clients know.
    init(_ text: String, secret: Secret, now seconds: Int64) throws(Refusal) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.limits.bytes, parts.count == 3, let header = Self.object(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else {
            throw .invalidToken("JWT format is invalid")
        }
        // Any other algorithm, above all `none`, proves nothing.
        let code = Self.code(of: parts[0] + "." + parts[1], secret: secret)
        guard header["alg"]?.string == "HS256", ConstantTime.isEqual(signature, code) else {
            throw .invalidToken("JWT is invalid")
        }
        guard let claims = Self.object(payload), let issued = claims["iat"]?.number?.int64,
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
        let header: JSONValue = ["alg": "HS256", "typ": "JWT"]
        let text = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded())
        return text + "." + Base64URL.encode(Self.code(of: text, secret: secret))
    }

    private static func code(of text: String, secret: Secret) -> [UInt8] {
        HMACSHA256.authenticationCode(for: Array(text.utf8), key: secret.withExposed { Array($0.utf8) })
    }

    private static func text(_ value: JSONValue?) -> String? {
        value?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func object(_ part: Substring) -> JSONObject? {
        Base64URL.decode(part).flatMap(Self.object)
    }

    private static func object(_ bytes: [UInt8]) -> JSONObject? {
        do {
            return try JSONReader.read(bytes, limits: Self.limits).object
        } catch {
            return nil
        }
    }
}

/// Base 64 with the alphabet for URLs and without padding (RFC 4648, section 5; RFC 7515, section 2).
enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        let text = Base64.encode(bytes).utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: Array(text), as: UTF8.self)
    }

    /// Reads only texts that ``encode(_:)`` can produce; nil for others, such as those with padding or `+`.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var standard: [UInt8] = []
        standard.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: standard.append(byte)
            }
        }
        while !standard.count.isMultiple(of: 4) {
            standard.append(UInt8(ascii: "="))
        }
        return Base64.decode(String(decoding: standard, as: UTF8.self))
    }
}
