//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// Everybody this installation has met, and who is in front of it now: a value, changed by the identity machine only.
struct UserDirectory: Sendable, Hashable {
    /// One user, as kept on disk.
    struct Entry: Sendable, Hashable {
        var identities: [IdentityType: StoredIdentity] = [:]
        /// The identities of this device that the platform was last told for the user; the device may have others by now.
        var deviceIdentities: [IdentityType: String] = [:]
        var attributes: [String: AttributeValue] = [:]
        /// Attributes that were removed and are in no batch yet, by the number of the removal.
        var removals: [String: Int64] = [:]
        /// What the user agreed to.
        var consent: ConsentState?
        var isLoggedIn = false
        var isEphemeral = false
        var firstSeen: Int64
        var lastSeen: Int64
    }

    /// One identity, as kept on disk.
    struct StoredIdentity: Sendable, Hashable {
        var value: String
        var firstSet: Int64
    }

    /// What few directories have, or for a short time.
    private struct Extras: DefaultInitializable {
        var inheritances: [AnonymousAttribution] = []
        var vacantSince: Int64?
        var orphanedAttributes: [String: AttributeValue] = [:]
        var orphanedConsent: ConsentState?
        var lastRemoval: Int64 = 0
    }

    /// Users by MPID.
    var entries: [MPID: Entry]
    /// Who is current; nil before the first success.
    private(set) var current: MPID?
    /// Who came first, ever or after the current user was erased: they inherit what was stored and logged before.
    private(set) var firstUser: MPID?
    private var rare = Box<Extras>()
    /// When the installation was first opened, in milliseconds: the first user was seen since then.
    let createdAt: Int64

    /// Restores, or begins empty.
    init(
        createdAt: Int64,
        entries: [MPID: Entry] = [:],
        current: MPID? = nil,
        firstUser: MPID? = nil,
        inheritances: [AnonymousAttribution] = [],
        vacantSince: Int64? = nil,
        orphanedAttributes: [String: AttributeValue] = [:],
        orphanedConsent: ConsentState? = nil,
        lastRemoval: Int64 = 0
    ) {
        self.createdAt = createdAt
        self.entries = entries
        self.current = current.flatMap { entries[$0] == nil ? nil : $0 }
        self.firstUser = firstUser
        self.rare.value = Extras(
            inheritances: inheritances,
            vacantSince: vacantSince,
            orphanedAttributes: orphanedAttributes,
            orphanedConsent: orphanedConsent,
            lastRemoval: lastRemoval
        )
    }

    /// Who has inherited what was logged before those who came first after an erasure; see ``heirs``.
    var inheritances: [AnonymousAttribution] {
        self.rare.value.inheritances
    }

    /// Since when nobody is current because that user was erased, in milliseconds; nil when none was, or somebody came.
    private(set) var vacantSince: Int64? {
        get { self.rare.value.vacantSince }
        set { self.rare.value.vacantSince = newValue }
    }

    /// Attributes that were set before anybody was known.
    var orphanedAttributes: [String: AttributeValue] {
        get { self.rare.value.orphanedAttributes }
        set { self.rare.value.orphanedAttributes = newValue }
    }

    /// Consent that was given before anybody was known.
    var orphanedConsent: ConsentState? {
        get { self.rare.value.orphanedConsent }
        set { self.rare.value.orphanedConsent = newValue }
    }

    /// The number of the last removal of an attribute of anybody.
    var lastRemoval: Int64 {
        get { self.rare.value.lastRemoval }
        set { self.rare.value.lastRemoval = newValue }
    }

    /// Takes the platform's answer: makes the user current and stores what the request said.
    ///
    /// - Parameters:
    ///   - mpid: Whom the platform resolved.
    ///   - isLoggedIn: Whether the user is known.
    ///   - isEphemeral: Whether local data may go at the next switch.
    ///   - request: Whose identities are stored; those set to nil are forgotten.
    ///   - now: Milliseconds since 1970.
    /// - Returns: The MPID that was current before, and whether that is updates.
    mutating func resolve(
        to mpid: MPID,
        isLoggedIn: Bool,
        isEphemeral: Bool,
        request: IdentityRequest,
        now: Int64
    ) -> (previous: MPID?, isChange: Bool) {
        let previous = self.current
        let wasLoggedIn = previous.flatMap { self.entries[$0] }?.isLoggedIn
        if let previous, previous != mpid {
            self.entries[previous]?.lastSeen = now
            // Its events keep its MPID and are delivered; nothing else of it stays (IDSync HTTP API, `is_ephemeral`).
            if self.entries[previous]?.isEphemeral == true { self.entries[previous] = nil }
        }
        let firstSeen = self.firstUser == nil ? min(self.vacantSince ?? self.createdAt, now) : now
        var entry = self.entries[mpid] ?? Entry(firstSeen: firstSeen, lastSeen: now)
        if self.firstUser == nil {
            self.firstUser = mpid
            self.vacantSince = nil
            self.inherit(self.orphanedAttributes, by: &entry)
            self.orphanedAttributes = [:]
            entry.consent = entry.consent ?? self.orphanedConsent
            self.orphanedConsent = nil
        }
        entry.isLoggedIn = isLoggedIn
        entry.isEphemeral = isEphemeral
        entry.lastSeen = now
        self.entries[mpid] = entry
        self.current = mpid
        self.store(request.identities, for: mpid, now: now)
        return (previous, previous != mpid || wasLoggedIn != isLoggedIn)
    }

    /// Stores what a request said of a user; a changed value keeps the date it was first set.
    ///
    /// Identities of devices are no user's: they go with the device, and would be outdated on the next one.
    mutating func store(_ identities: [IdentityType: String?], for mpid: MPID, now: Int64) {
        guard var entry = self.entries[mpid] else { return }
        for (type, value) in identities where !type.isDevice {
            guard let value else {
                entry.identities[type] = nil
                continue
            }
            let firstSet = entry.identities[type]?.firstSet ?? now
            entry.identities[type] = StoredIdentity(value: value, firstSet: firstSet)
        }
        self.entries[mpid] = entry
    }

    /// The plain values stored for a user.
    func identities(of mpid: MPID) -> [IdentityType: String] {
        self.entries[mpid]?.identities.mapValues(\.value) ?? [:]
    }
}
