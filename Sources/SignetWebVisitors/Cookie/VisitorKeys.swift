// SPDX-License-Identifier: Apache-2.0

public import SignetModel
import SignetTransport

/// The keys that sign visitor cookies, newest first.
///
/// The first key signs; every key verifies. To rotate, put a new key in front, on all replicas; a cookie of an older key is
/// signed again when its visitor comes back. Remove the old key when the lifetime of a cookie has passed. If old and new
/// replicas run side by side, first append the new key everywhere, then move it to the front.
///
/// A token is `1.<id>.<signature>`: the version, 22 characters, and HMAC-SHA256 in 43 characters, 68 bytes together. The
/// signature covers the version and the id. There is no time in it; the browser ends the cookie after its `Max-Age`.
public struct VisitorKeys: Sendable {
    /// The shortest key, in bytes.
    public static let minimumLength = 32
    /// The most keys; each is a signature to compute for a cookie that is forged.
    public static let maximumCount = 8

    /// The length of a token, in bytes.
    static let tokenLength = Self.version.utf8.count + VisitorID.length + 1 + 43
    private static let version = "1."
    // Keeps signatures apart from others that the same key may make elsewhere.
    private static let purpose = "signet.visitor."

    private let keys: [[UInt8]]

    /// Takes keys as bytes, such as from a vault.
    ///
    /// - Parameter keys: 1 to 8 keys of at least 32 random bytes each; the first one signs.
    /// - Throws: `noKey`, `tooManyKeys`, `shortKey`.
    public init(_ keys: [[UInt8]]) throws(WebVisitorsError) {
        guard !keys.isEmpty else {
            throw WebVisitorsError(.noKey, "There is no key. Pass at least one of \(Self.minimumLength) random bytes.")
        }
        guard keys.count <= Self.maximumCount else {
            throw WebVisitorsError(
                .tooManyKeys,
                "There are \(keys.count) keys, at most \(Self.maximumCount) are allowed. Remove the oldest ones."
            )
        }
        for (index, key) in keys.enumerated() where key.count < Self.minimumLength {
            throw WebVisitorsError(
                .shortKey,
                "Key \(index + 1) has \(key.count) bytes, at least \(Self.minimumLength) are needed. "
                    + "Make one with `openssl rand -base64 32`."
            )
        }
        self.keys = keys
    }

    /// Takes keys in base64, such as from the environment.
    ///
    /// - Parameter text: The keys with commas between them, each in base64 or base64url, padded or not; the first one signs.
    /// - Throws: `noKey`, `tooManyKeys`, `shortKey`; `keyText` for other characters.
    public init(base64 text: Secret) throws(WebVisitorsError) {
        var keys: [[UInt8]] = []
        for part in text.withExposed({ $0.split(separator: ",").map { $0.filter { !$0.isWhitespace } } }) {
            guard let key = Base64.decodeURL(part) else {
                throw WebVisitorsError(
                    .keyText,
                    "Key \(keys.count + 1) is not base64. Make one with `openssl rand -base64 32`."
                )
            }
            keys.append(key)
        }
        try self.init(keys)
    }

    /// Makes one key of this process, for development and tests: after a restart, each visitor is a new one.
    public static func ofThisProcess() -> VisitorKeys {
        var generator = SystemRandomNumberGenerator()
        let key = (0..<Self.minimumLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return VisitorKeys(unchecked: [key])
    }

    private init(unchecked keys: [[UInt8]]) {
        self.keys = keys
    }

    /// The token of a visitor, signed with the first key.
    public func token(for visitor: VisitorID) -> String {
        let signature = self.keys.first.map { Self.signature(of: visitor.text, $0) } ?? ""
        return "\(Self.version)\(visitor.text).\(signature)"
    }

    /// Finds out whose token this is.
    ///
    /// The length is checked first, and nothing is decoded.
    ///
    /// - Returns: The visitor, and whether the first key has signed; nil for a token that no key has signed.
    func verify(_ token: [UInt8]) -> (visitor: VisitorID, isCurrent: Bool)? {
        let version = Array(Self.version.utf8)
        guard token.count == Self.tokenLength, token.starts(with: version) else { return nil }
        let id = token[version.count..<(version.count + VisitorID.length)]
        guard token[id.endIndex] == UInt8(ascii: "."), id.allSatisfy(Self.isAllowed) else { return nil }
        let text = String(decoding: id, as: UTF8.self)
        let given = Array(token[(id.endIndex + 1)...])
        // Every key is tried, so that the time does not say which one it was.
        var found: Int?
        for (index, key) in self.keys.enumerated() {
            let isSigned = ConstantTime.isEqual(Array(Self.signature(of: text, key).utf8), given)
            if isSigned, found == nil { found = index }
        }
        return found.map { (VisitorID(verified: text), $0 == 0) }
    }

    private static func signature(of id: String, _ key: [UInt8]) -> String {
        URLText.encode(HMACSHA256.authenticationCode(for: Array("\(Self.purpose)\(Self.version)\(id)".utf8), key: key))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension VisitorKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of keys.
    public var description: String {
        "\(self.keys.count) keys"
    }

    /// The number of keys.
    public var debugDescription: String {
        self.description
    }

    /// A mirror without children.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
