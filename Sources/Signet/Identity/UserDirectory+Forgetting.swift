//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

extension UserDirectory {
    /// Who owns what was logged while nobody was known, in the order of the events; what follows waits for who comes next.
    var heirs: [AnonymousAttribution] {
        self.inheritances + (self.firstUser.map { [AnonymousAttribution(upTo: .max, heir: $0)] } ?? [])
    }

    /// Everybody who is named.
    var mentioned: Set<MPID> {
        Set(self.entries.keys).union(self.heirs.compactMap(\.heir)).union([self.current].compactMap { $0 })
    }

    /// Whether an event that was logged for nobody was inherited by a user who was erased.
    func isErased(_ sequence: UInt64) -> Bool {
        guard let inheritance = self.inheritances.first(where: { sequence <= $0.upTo }) else { return false }
        return inheritance.heir == nil
    }

    /// Forgets a user and everything that is stored of them.
    ///
    /// Where they were current, nobody is afterwards, and what is logged then is for the user who comes next.
    ///
    /// - Parameters:
    ///   - mpid: Who.
    ///   - sequence: The last event that was logged here before.
    ///   - now: Milliseconds since 1970.
    /// - Returns: Whether they were known.
    mutating func forget(_ mpid: MPID, upTo sequence: UInt64, now: Int64) -> Bool {
        guard self.mentioned.contains(mpid) else { return false }
        let wasCurrent = self.current == mpid
        var heirs = self.inheritances.map { AnonymousAttribution(upTo: $0.upTo, heir: $0.heir == mpid ? nil : $0.heir) }
        var first = self.firstUser
        if first == mpid || wasCurrent {
            // Nobody's events up to here have an heir already; later ones have none yet, unless somebody is current.
            if let first { heirs.append(AnonymousAttribution(upTo: sequence, heir: first == mpid ? nil : first)) }
            first = wasCurrent ? nil : self.current
        }
        var entries = self.entries
        entries[mpid] = nil
        self = UserDirectory(
            createdAt: self.createdAt,
            entries: entries,
            current: wasCurrent ? nil : self.current,
            firstUser: first,
            inheritances: Self.joined(heirs),
            vacantSince: wasCurrent ? now : self.vacantSince,
            orphanedAttributes: self.orphanedAttributes,
            orphanedConsent: self.orphanedConsent,
            lastRemoval: self.lastRemoval
        )
        return true
    }

    /// Neighbours with one heir become one.
    private static func joined(_ inheritances: [AnonymousAttribution]) -> [AnonymousAttribution] {
        var joined: [AnonymousAttribution] = []
        for inheritance in inheritances {
            if joined.last?.heir == inheritance.heir, !joined.isEmpty { joined.removeLast() }
            joined.append(inheritance)
        }
        return joined
    }
}

extension IdentityState {
    /// Forgets a user; what the platform asked to be sent back of the current one too, and the identities of the device where
    /// nobody else is in front of it.
    ///
    /// - Returns: Whether they were known.
    mutating func forget(_ mpid: MPID, upTo sequence: UInt64, now: Int64) -> Bool {
        if self.directory.current == mpid { self.context = nil }
        guard self.directory.forget(mpid, upTo: sequence, now: now) else { return false }
        if self.directory.current == nil { self.devices = DeviceIdentities() }
        return true
    }
}
