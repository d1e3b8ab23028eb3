//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import struct FoundationEssentials.Date

/// What this installation knows of one user: a value, taken at one moment, that never changes under you.
public struct User: Sendable, Hashable, Identifiable {
    /// The platform's name of the user.
    public let mpid: MPID

    /// The identities that were given for this user from this installation.
    ///
    /// Device identities that Signet adds by itself are not among them.
    public let identities: [IdentityType: UserIdentity]

    /// The attributes that were set for this user from this installation.
    public let attributes: [String: AttributeValue]

    /// What the user agreed to on this installation; nil when nothing was said.
    public let consent: ConsentState?

    /// Whether the platform resolved to a known user, one with a login identity (IDSync HTTP API, `is_logged_in`).
    public let isLoggedIn: Bool

    /// Whether local data of this user may go at the next switch (IDSync HTTP API, `is_ephemeral`).
    public let isEphemeral: Bool

    /// When this installation first met the user, in whole milliseconds.
    public let firstSeen: Date

    /// When the user was last the current one; of the current user, when the snapshot was taken.
    public let lastSeen: Date

    /// Makes a snapshot.
    package init(
        mpid: MPID,
        identities: [IdentityType: UserIdentity],
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
