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
        var attributes: [String: AttributeValue] = [:]
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

    /// Users by MPID.
    private(set) var entries: [MPID: Entry]
    /// Who is current; nil before the first success.
    private(set) var current: MPID?
    /// Who came first, ever or after the current user was erased: they inherit what was stored and logged before.
    private(set) var firstUser: MPID?
    /// Who has inherited what was logged before those who came first after an erasure; see ``heirs``.
    let inheritances: [Inheritance]
    /// Since when nobody is current because that user was erased, in milliseconds; nil when none was, or somebody came.
    private(set) var vacantSince: Int64?
    /// Attributes that were set before anybody was known.
    private(set) var orphanedAttributes: [String: AttributeValue]
    /// When the installation was first opened, in milliseconds: the first user was seen since then.
    let createdAt: Int64

    /// Restores, or begins empty.
    init(
        createdAt: Int64,
        entries: [MPID: Entry] = [:],
        current: MPID? = nil,
        firstUser: MPID? = nil,
        inheritances: [Inheritance] = [],
        vacantSince: Int64? = nil,
        orphanedAttributes: [String: AttributeValue] = [:]
    ) {
        self.createdAt = createdAt
        self.entries = entries
        self.current = current.flatMap { entries[$0] == nil ? nil : $0 }
        self.firstUser = firstUser
        self.inheritances = inheritances
        self.vacantSince = vacantSince
        self.orphanedAttributes = orphanedAttributes
    }

    /// Takes the platform's answer: makes the user current and stores what the request said.
    ///
    /// - Parameters:
    ///   - mpid: Whom the platform resolved.
    ///   - isLoggedIn: Whether the user is known.
    ///   - isEphemeral: Whether local data may go at the next switch.
    ///   - request: Whose identities are stored; those set to nil are forgotten.
    ///   - now: Milliseconds since 1970.
    /// - Returns: The MPID that was current before, and whether that is news.
    mutating func resolve(
        to mpid: MPID,
        isLoggedIn: Bool,
        isEphemeral: Bool,
        request: IdentityRequest,
        now: Int64
    ) -> (previous: MPID?, isChange: Bool) {
        let previous = self.current
        let wasLoggedIn = previous.flatMap { self.entries[$0] }?.isLoggedIn
        if let previous, previous != mpid { self.entries[previous]?.lastSeen = now }
        let firstSeen = self.firstUser == nil ? min(self.vacantSince ?? self.createdAt, now) : now
        var entry = self.entries[mpid] ?? Entry(firstSeen: firstSeen, lastSeen: now)
        if self.firstUser == nil {
            self.firstUser = mpid
            self.vacantSince = nil
            entry.attributes.merge(self.orphanedAttributes) { own, _ in own }
            self.orphanedAttributes = [:]
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
    mutating func store(_ identities: [IdentityType: String?], for mpid: MPID, now: Int64) {
        guard var entry = self.entries[mpid] else { return }
        for (type, value) in identities {
            guard let value else {
                entry.identities[type] = nil
                continue
            }
            let firstSet = entry.identities[type]?.firstSet ?? now
            entry.identities[type] = StoredIdentity(value: value, firstSet: firstSet)
        }
        self.entries[mpid] = entry
    }

    /// The platform took an identity from a user, because it is unique and belongs to another one now.
    mutating func lose(_ type: IdentityType, of mpid: MPID, to value: String?) {
        guard let value, self.entries[mpid]?.identities[type]?.value == value else { return }
        self.entries[mpid]?.identities[type] = nil
    }

    /// Sets or removes an attribute of the addressed user; of nobody known yet when `mpid` is nil.
    ///
    /// - Parameters:
    ///   - value: The new value; nil removes.
    ///   - key: Which attribute.
    ///   - mpid: Whose.
    /// - Returns: Whether there is such a user.
    mutating func setAttribute(_ value: AttributeValue?, for key: String, of mpid: MPID?) -> Bool {
        guard let mpid else {
            self.orphanedAttributes[key] = value
            return true
        }
        guard self.entries[mpid] != nil else { return false }
        self.entries[mpid]?.attributes[key] = value
        return true
    }

    /// The plain values stored for a user.
    func identities(of mpid: MPID) -> [IdentityType: String] {
        self.entries[mpid]?.identities.mapValues(\.value) ?? [:]
    }
}
