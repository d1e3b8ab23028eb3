// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date

/// A snapshot of one user, as this installation knows it; it never changes.
public struct User: Sendable, Hashable, Identifiable {
    /// The platform's id of the user.
    public let mpid: MPID

    /// The identities that were given for this user from this installation.
    ///
    /// They do not include the device identities that Signet adds by itself.
    public let identities: [IdentityType: User.Identity]

    /// The attributes that were set for this user from this installation.
    public let attributes: [String: AttributeValue]

    /// The user's consents; nil if none was set.
    ///
    /// The latest of all installations of a directory; with a shared store, those of this installation.
    public let consent: ConsentState?

    /// True when the platform resolved to a known user, one with a login identity (IDSync HTTP API, `is_logged_in`).
    public let isLoggedIn: Bool

    /// True when local data of this user may be removed at the next switch (IDSync HTTP API, `is_ephemeral`).
    public let isEphemeral: Bool

    /// The time at which this installation first met the user, in whole milliseconds.
    public let firstSeen: Date

    /// The time at which the user was last current; for the current user, the time of the snapshot.
    public let lastSeen: Date

    /// Makes a snapshot.
    package init(
        mpid: MPID,
        identities: [IdentityType: User.Identity],
        attributes: [String: AttributeValue],
        consent: ConsentState? = nil,
        isLoggedIn: Bool,
        isEphemeral: Bool,
        firstSeen: Date,
        lastSeen: Date
    ) {
        self.mpid = mpid
        self.identities = identities
        self.attributes = attributes
        self.consent = consent
        self.isLoggedIn = isLoggedIn
        self.isEphemeral = isEphemeral
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }

    /// The MPID.
    public var id: MPID {
        self.mpid
    }

    /// The same user with another consent.
    package func replacing(consent: ConsentState?) -> User {
        User(
            mpid: self.mpid,
            identities: self.identities,
            attributes: self.attributes,
            consent: consent,
            isLoggedIn: self.isLoggedIn,
            isEphemeral: self.isEphemeral,
            firstSeen: self.firstSeen,
            lastSeen: self.lastSeen
        )
    }
}

extension User: CustomStringConvertible {
    /// The MPID and the kinds of identities, without their values.
    public var description: String {
        let kinds = self.identities.keys.sorted().map(\.wireName).joined(separator: ", ")
        return "User(\(self.mpid), \(self.isLoggedIn ? "known" : "anonymous"), identities: [\(kinds)])"
    }
}

extension User: CustomReflectable {
    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["user": self.description])
    }
}

extension User {
    /// One identity of a user, with the date it was first given.
    public struct Identity: Sendable, Hashable {
        /// The value as given.
        public let value: String

        /// The time at which an identity of this type was first set for this user; a changed value keeps it.
        public let firstSet: Date

        /// Makes an identity.
        package init(value: String, firstSet: Date) {
            self.value = value
            self.firstSet = firstSet
        }
    }
}

extension User.Identity: CustomStringConvertible {
    /// The date, without the value.
    public var description: String {
        "User.Identity(<redacted>, first set \(self.firstSet))"
    }
}

extension User.Identity: CustomReflectable {
    /// A mirror with the date only.
    public var customMirror: Mirror {
        Mirror(self, children: ["firstSet": self.firstSet])
    }
}

/// The names of user attributes that have a meaning to the platform (user attributes, reserved keys).
public enum ReservedAttribute {
    /// The age.
    public static let age = "$Age"
    /// The first name.
    public static let firstName = "$FirstName"
    /// The last name.
    public static let lastName = "$LastName"
    /// The gender.
    public static let gender = "$Gender"
    /// The mobile number.
    public static let mobile = "$Mobile"
    /// The postal address.
    public static let address = "$Address"
    /// The city.
    public static let city = "$City"
    /// The state or region.
    public static let state = "$State"
    /// The postal code.
    public static let zip = "$Zip"
    /// The country.
    public static let country = "$Country"
}
