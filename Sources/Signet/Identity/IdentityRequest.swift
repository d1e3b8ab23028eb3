// SPDX-License-Identifier: Apache-2.0

public import SignetModel

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
