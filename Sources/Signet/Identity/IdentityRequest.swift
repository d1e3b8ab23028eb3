// SPDX-License-Identifier: Apache-2.0

public import SignetModel
import SignetTransport

/// The identities of the person in front of the installation, as far as the app knows them.
///
/// An identity set to nil is removed: `modify` removes it from the user; `identify`, `login` and `logout` do not send it
/// and delete it locally. Signet adds the device identities itself. When a request with a device identity succeeds, the
/// value belongs to the device for all users, and is not part of `User.identities`.
public struct IdentityRequest: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The longest value, in characters.
    public static let maximumValueLength = 4096

    /// All identities that were set; nil marks one for removal.
    public private(set) var identities: [IdentityType: String?] = [:]

    /// The user that a `modify` changes; nil for the current user at the call.
    public private(set) var mpid: MPID?

    /// Makes a request without identities.
    public init() {}

    /// Makes a request with a snapshot of a user's identities; later changes of the user do not affect it.
    ///
    /// - Parameter user: The user whose identities are copied. A `modify` with this request changes this user.
    public init(user: User) {
        self.identities = user.identities.mapValues { $0.value }
        self.mpid = user.mpid
    }

    /// Makes a request from plain values.
    package init(values: [IdentityType: String]) {
        self.identities = values.mapValues { $0 }
    }

    /// Makes a request from a literal such as `[.customerID: "c-17", .email: nil]`; the last of duplicate keys wins.
    public init(dictionaryLiteral elements: (IdentityType, String?)...) {
        for (type, value) in elements { self.identities.updateValue(value, forKey: type) }
    }

    /// The value of an identity.
    ///
    /// Setting nil marks the identity for removal.
    public subscript(type: IdentityType) -> String? {
        get { self.identities[type] ?? nil }
        set { self.identities.updateValue(newValue, forKey: type) }
    }

    /// Takes an identity out of the request, so that it is neither set nor removed.
    ///
    /// - Parameter type: The type of the identity.
    public mutating func removeValue(for type: IdentityType) {
        self.identities.removeValue(forKey: type)
    }

    /// The identities to set, without those marked for removal.
    package var values: [IdentityType: String] {
        self.identities.compactMapValues { $0 }
    }
}

extension IdentityRequest: CustomStringConvertible, CustomReflectable {
    /// The identity types, without their values.
    public var description: String {
        "IdentityRequest([\(self.identities.keys.sorted().map(\.wireName).joined(separator: ", "))])"
    }

    /// A mirror without the values.
    public var customMirror: Mirror {
        Mirror(self, children: ["identities": self.identities.keys.sorted().map(\.wireName)])
    }
}

extension IdentityRequest {
    /// Sets the SHA-256 of an e-mail address, in the slot that the platform reserves for it: `other`.
    ///
    /// - Parameter email: The plain address. It is trimmed and lowercased before hashing.
    /// - Throws: `invalidArgument` if the address is empty, because the hash of an empty string would match all users.
    public mutating func setHashedEmail(_ email: String) throws(SignetError) {
        let scalars = Array(email.lowercased().unicodeScalars)
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { throw SignetError(.invalidArgument, "The e-mail address is empty and cannot be hashed.") }
        self[.other] = Self.hash(scalars[start...end])
    }

    /// Sets the SHA-256 of a mobile number, in the slot that the platform reserves for it: `other2`.
    ///
    /// - Parameter number: The plain number with country code. Digits of other scripts count by their values. Everything
    ///   but digits and a leading plus is removed before hashing.
    /// - Throws: `invalidArgument` if there are no digits, because the hash of an empty string would match all users.
    public mutating func setHashedMobileNumber(_ number: String) throws(SignetError) {
        let digits = number.unicodeScalars.compactMap(Self.digit)
        guard !digits.isEmpty else {
            throw SignetError(.invalidArgument, "The mobile number has no digits and cannot be hashed.")
        }
        let first = number.unicodeScalars.first { !$0.properties.isWhitespace }
        let isInternational = first == "+" || first == "\u{FF0B}"
        self[.other2] = Self.hash((isInternational ? ["+"] : []) + digits)
    }

    /// The ASCII digit of the same value; nil if it is no digit.
    private static func digit(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
        return Unicode.Scalar(UInt8(ascii: "0") + UInt8(value))
    }

    private static func hash(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return Hexadecimal.encode(SHA256.hash(Array(String(text).utf8)))
    }
}

extension IdentityRequest {
    /// Makes the checks that do not need the platform.
    func validate() throws(SignetError) {
        for type in self.identities.keys.sorted() {
            guard Self.isWireName(type.wireName) else {
                throw SignetError(
                    .invalidArgument,
                    "The wire name of an identity type is empty, too long, or not made of lower-case letters, digits "
                        + "and underscores. The platform would refuse the whole request."
                )
            }
            guard type != .deviceApplicationStamp else {
                throw SignetError(
                    .invalidArgument,
                    "device_application_stamp belongs to the installation. Pass it to `open` instead."
                )
            }
            if let value = self[type] { try Self.validate(value, of: type) }
        }
    }

    /// Checks an identity of the device that the app sets; nil for one that it removes.
    static func validate(device value: String?, of type: IdentityType) throws(SignetError) {
        guard type.isDevice, type != .deviceApplicationStamp else {
            throw SignetError(
                .invalidArgument,
                "\(type) is not a device identity that can be set. Use `identify`, `login` or `modify` for user identities."
            )
        }
        if let value { try Self.validate(value, of: type) }
    }

    /// Checks one value.
    static func validate(_ value: String, of type: IdentityType) throws(SignetError) {
        guard !value.isEmpty else {
            throw SignetError(.invalidArgument, "The value of \(type) is empty. Set it to nil to remove the identity.")
        }
        guard value.unicodeScalars.contains(where: { !SettingTextFault.isBlank($0) }) else {
            throw SignetError(
                .invalidArgument,
                "The value of \(type) is blank, and would be one user for all who have it. Set it to nil to remove the identity."
            )
        }
        guard value.utf16.count <= Self.maximumValueLength else {
            throw SignetError(
                .invalidArgument,
                "The value of \(type) has \(value.utf16.count) characters; the limit is \(Self.maximumValueLength)."
            )
        }
        guard !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw SignetError(.invalidArgument, "The value of \(type) contains a control character.")
        }
    }

    private static func isWireName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
