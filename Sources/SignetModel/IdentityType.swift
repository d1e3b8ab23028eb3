// SPDX-License-Identifier: Apache-2.0

/// A kind of identity that the platform can resolve a user by, such as a customer id or an e-mail address.
///
/// The set is open: make further types with ``init(wireName:eventsName:isDevice:)``. Two types are the same when their
/// wire names are.
public struct IdentityType: Sendable {
    /// The name in IDSync requests (IDSync HTTP API, `known_identities` and `identity_type`).
    public let wireName: String

    /// The name in `user_identities` of an Events API batch; nil for device identities, which a batch does not carry there.
    public let eventsName: String?

    /// True when the identity belongs to a device, not to a person.
    public let isDevice: Bool

    /// Makes a type that this version of Signet does not know.
    ///
    /// - Parameters:
    ///   - wireName: The name in IDSync requests. The platform refuses a whole request for one name it does not know.
    ///   - eventsName: The name in `user_identities` of a batch, when the platform has one.
    ///   - isDevice: True when the identity belongs to a device.
    public init(wireName: String, eventsName: String? = nil, isDevice: Bool = false) {
        self.wireName = wireName
        self.eventsName = eventsName
        self.isDevice = isDevice
    }

    /// Finds the known type of a wire name, or makes a user identity type with that name.
    ///
    /// - Parameter wireName: The name in IDSync requests.
    public init(wireName: String) {
        self = Self.byWireName[wireName] ?? Self(wireName: wireName, eventsName: nil)
    }

    private static let byWireName = Dictionary(uniqueKeysWithValues: Self.known.map { ($0.wireName, $0) })
}

extension IdentityType: Hashable {
    /// Compares the wire names.
    public static func == (lhs: IdentityType, rhs: IdentityType) -> Bool {
        lhs.wireName == rhs.wireName
    }

    /// Hashes the wire name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.wireName)
    }
}

extension IdentityType: Comparable, CustomStringConvertible {
    /// Orders by wire name, so that requests have a stable order.
    public static func < (lhs: IdentityType, rhs: IdentityType) -> Bool {
        lhs.wireName < rhs.wireName
    }

    /// The wire name.
    public var description: String {
        self.wireName
    }
}
