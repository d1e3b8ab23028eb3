// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct SignetModel.Secret

/// What the tokens of both services have in common (RFC 7519, signed with HS256).
enum JSONWebToken {
    static let limits = JSONLimits(bytes: 16 * 1024, depth: 8, values: 256)

    /// Signs claims as an app's server does.
    static func sign(_ claims: JSONValue, header: JSONValue, secret: Secret) -> String {
        let text = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded())
        return text + "." + Base64URL.encode(Self.code(of: text, secret: secret))
    }

    static func code(of text: String, secret: Secret) -> [UInt8] {
        HMACSHA256.authenticationCode(for: Array(text.utf8), key: secret.withExposed { Array($0.utf8) })
    }

    static func object(_ part: Substring) -> JSONObject? {
        Base64URL.decode(part).flatMap(Self.object)
    }

    static func object(_ bytes: [UInt8]) -> JSONObject? {
        JSONReader.value(bytes, limits: Self.limits)?.object
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
