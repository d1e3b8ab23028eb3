//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

/// Who is in front of the installation, as far as the app knows.
///
/// An identity set to nil is one to remove: `modify` takes it from the user; `identify`, `login` and `logout` do not send
/// it and forget it locally. Signet adds the device identities itself. One that a request names is the device's from its
/// success on, whoever comes, and none of the user's `User.identities`.
public struct IdentityRequest: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The longest value, in characters.
    public static let maximumValueLength = 4096

    /// Everything set, nil for what is to be removed.
    public private(set) var identities: [IdentityType: String?] = [:]

    /// The user that a `modify` changes; nil for the one who is current when it is called.
    public private(set) var mpid: MPID?

    /// Makes an empty request: nobody in particular.
    public init() {}

    /// Makes a request with the identities of a user as they are now; later changes of the user do not reach it.
    ///
    /// - Parameter user: Whose identities; a `modify` with this request changes this user.
    public init(user: User) {
        self.identities = user.identities.mapValues { $0.value }
        self.mpid = user.mpid
    }

    /// Makes a request of plain values.
    package init(values: [IdentityType: String]) {
        self.identities = values.mapValues { $0 }
    }

    /// Makes a request of a literal such as `[.customerID: "c-17", .email: nil]`; of duplicate keys the last counts.
    public init(dictionaryLiteral elements: (IdentityType, String?)...) {
        for (type, value) in elements { self.identities.updateValue(value, forKey: type) }
    }

    /// The value of an identity.
    ///
    /// Setting nil marks it for removal.
    public subscript(type: IdentityType) -> String? {
        get { self.identities[type] ?? nil }
        set { self.identities.updateValue(newValue, forKey: type) }
    }

    /// Takes an identity out of the request altogether: neither set nor removed.
    ///
    /// - Parameter type: Which one.
    public mutating func removeValue(for type: IdentityType) {
        self.identities.removeValue(forKey: type)
    }

    /// What is set, without what is to be removed.
    package var values: [IdentityType: String] {
        self.identities.compactMapValues { $0 }
    }
}

extension IdentityRequest: CustomStringConvertible, CustomReflectable {
    /// The kinds of identities, without their values.
    public var description: String {
        "IdentityRequest([\(self.identities.keys.sorted().map(\.wireName).joined(separator: ", "))])"
    }

    /// A mirror without the values.
    public var customMirror: Mirror {
        Mirror(self, children: ["identities": self.identities.keys.sorted().map(\.wireName)])
    }
}
