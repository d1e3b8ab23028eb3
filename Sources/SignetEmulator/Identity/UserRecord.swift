// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct SignetModel.IdentityType
import struct SignetModel.MPID

/// One profile and its identity record.
struct UserRecord: Sendable, Hashable {
    let mpid: MPID
    /// The identities by which it is found; several of one type only under best match.
    fileprivate(set) var identities: [IdentityType: Set<String>] = [:]
    /// The anonymous profile from which a known one was created (profile link).
    var source: MPID?
    /// Milliseconds since 1970.
    var firstSeen: Int64
    /// Milliseconds since 1970.
    var lastSeen: Int64
    /// The time of the last identity request, or batch without an MPID, that resolved here; ties must not depend on events.
    var lastIdentified: Int64
    var attributes = JSONObject()
    /// `consent_state` of the last batch that had one.
    var consent: JSONObject?
    /// The value of the last opt-out event.
    var isOptedOut: Bool?

    /// True when it has no identities, so that no request resolves to it.
    var isOrphaned: Bool {
        self.identities.isEmpty
    }

    /// Records that an identity request resolved to this user.
    mutating func identified(at now: Int64) {
        self.lastSeen = now
        self.lastIdentified = now
    }

    func holds(_ value: String, of type: IdentityType) -> Bool {
        self.identities[type]?.contains(value) ?? false
    }

    /// Returns true when the MPID or an identity contains a text, given in lower case.
    func contains(_ needle: String) -> Bool {
        needle.isEmpty || self.mpid.description.contains(needle)
            || self.identities.values.contains { $0.contains { $0.lowercased().contains(needle) } }
    }

    func holdsAny(of types: Set<IdentityType>) -> Bool {
        types.contains { self.identities[$0] != nil }
    }

    /// Returns true when the record holds one of the given identities of the given types.
    func matches(_ given: [IdentityType: String], in types: Set<IdentityType>) -> Bool {
        given.contains { types.contains($0.key) && self.holds($0.value, of: $0.key) }
    }
}

/// All users, with an index by identity.
struct UserStore: Sendable {
    private struct Identity: Hashable {
        let type: IdentityType
        let value: String
    }

    private(set) var users: [MPID: UserRecord] = [:]
    private var holders: [Identity: Set<MPID>] = [:]

    subscript(mpid: MPID) -> UserRecord? {
        self.users[mpid]
    }

    /// Returns the profiles that hold an identity.
    func holders(of value: String, _ type: IdentityType) -> Set<MPID> {
        self.holders[Identity(type: type, value: value)] ?? []
    }

    mutating func create(_ mpid: MPID, source: MPID? = nil, at now: Int64) {
        self.users[mpid] = UserRecord(
            mpid: mpid,
            source: source,
            firstSeen: now,
            lastSeen: now,
            lastIdentified: now
        )
    }

    /// Changes a record except its identities, which `insert` and `remove` change together with the index.
    mutating func update(_ mpid: MPID, _ change: (inout UserRecord) -> Void) {
        guard var profile = self.users.removeValue(forKey: mpid) else { return }
        let identities = profile.identities
        change(&profile)
        profile.identities = identities
        self.users[mpid] = profile
    }

    mutating func insert(_ value: String, of type: IdentityType, into mpid: MPID) {
        guard self.users[mpid] != nil else { return }
        self.users[mpid]?.identities[type, default: []].insert(value)
        self.holders[Identity(type: type, value: value), default: []].insert(mpid)
    }

    mutating func remove(_ value: String, of type: IdentityType, from mpid: MPID) {
        guard var values = self.users[mpid]?.identities[type], values.remove(value) != nil else { return }
        self.users[mpid]?.identities[type] = values.isEmpty ? nil : values
        let identity = Identity(type: type, value: value)
        self.holders[identity]?.remove(mpid)
        if self.holders[identity]?.isEmpty ?? false {
            self.holders[identity] = nil
        }
    }

    mutating func removeAll(of type: IdentityType, from mpid: MPID) {
        for value in self.users[mpid]?.identities[type] ?? [] {
            self.remove(value, of: type, from: mpid)
        }
    }
}
