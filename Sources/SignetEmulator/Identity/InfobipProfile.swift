//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

import struct SignetModel.IdentityType
import struct SignetModel.MPID

/// One profile and its identity record.
struct InfobipProfile: Sendable {
    let mpid: MPID
    /// The identifiers it is found by; several of one type only under best match.
    fileprivate(set) var identities: [IdentityType: Set<String>] = [:]
    /// The anonymous profile that a known one came from (profile link).
    var source: MPID?
    /// Milliseconds since 1970.
    var firstSeen: Int64
    /// Milliseconds since 1970.
    var lastSeen: Int64
    /// When an identity request, or a batch without a number, led here last; what decides ties must not hang on events.
    var lastIdentified: Int64
    var attributes = JSONObject()
    /// `consent_state` of the last batch that had one.
    var consent: JSONObject?
    /// What the last opt-out event said.
    var isOptedOut: Bool?

    /// Whether nothing finds it any more.
    var isOrphaned: Bool {
        self.identities.isEmpty
    }

    /// An identity request led here.
    mutating func identified(at now: Int64) {
        self.lastSeen = now
        self.lastIdentified = now
    }

    func holds(_ value: String, of type: IdentityType) -> Bool {
        self.identities[type]?.contains(value) ?? false
    }

    /// Whether the number or an identity contains a text in lower case.
    func contains(_ needle: String) -> Bool {
        needle.isEmpty || self.mpid.description.contains(needle)
            || self.identities.values.contains { $0.contains { $0.lowercased().contains(needle) } }
    }

    func holdsAny(of types: Set<IdentityType>) -> Bool {
        types.contains { self.identities[$0] != nil }
    }

    /// Whether the record holds one of the given identities of the given types.
    func matches(_ given: [IdentityType: String], in types: Set<IdentityType>) -> Bool {
        given.contains { types.contains($0.key) && self.holds($0.value, of: $0.key) }
    }
}

/// All profiles, and who holds which identity.
struct InfobipStore: Sendable {
    private struct Identity: Hashable {
        let type: IdentityType
        let value: String
    }

    private(set) var infobip: [MPID: InfobipProfile] = [:]
    private var holders: [Identity: Set<MPID>] = [:]

    subscript(mpid: MPID) -> InfobipProfile? {
        self.infobip[mpid]
    }

    /// The profiles that hold an identity.
    func holders(of value: String, _ type: IdentityType) -> Set<MPID> {
        self.holders[Identity(type: type, value: value)] ?? []
    }

    mutating func create(_ mpid: MPID, source: MPID? = nil, at now: Int64) {
        self.infobip[mpid] = InfobipProfile(
            mpid: mpid,
            source: source,
            firstSeen: now,
            lastSeen: now,
            lastIdentified: now
        )
    }

    /// Changes what is not an identity: those go through `insert` and `remove`, which keep the index.
    mutating func update(_ mpid: MPID, _ change: (inout InfobipProfile) -> Void) {
        guard var profile = self.infobip.removeValue(forKey: mpid) else { return }
        let identities = profile.identities
        change(&profile)
        profile.identities = identities
        self.infobip[mpid] = profile
    }

    mutating func insert(_ value: String, of type: IdentityType, into mpid: MPID) {
        guard self.infobip[mpid] != nil else { return }
        self.infobip[mpid]?.identities[type, default: []].insert(value)
        self.holders[Identity(type: type, value: value), default: []].insert(mpid)
    }

    mutating func remove(_ value: String, of type: IdentityType, from mpid: MPID) {
        guard var values = self.infobip[mpid]?.identities[type], values.remove(value) != nil else { return }
        self.infobip[mpid]?.identities[type] = values.isEmpty ? nil : values
        let identity = Identity(type: type, value: value)
        self.holders[identity]?.remove(mpid)
        if self.holders[identity]?.isEmpty ?? false {
            self.holders[identity] = nil
        }
    }

    mutating func removeAll(of type: IdentityType, from mpid: MPID) {
        for value in self.infobip[mpid]?.identities[type] ?? [] {
            self.remove(value, of: type, from: mpid)
        }
    }
}
