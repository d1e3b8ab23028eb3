//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

extension UserDirectory {
    /// The owners of events logged while there was no user, in the order of the events; later ones wait for the next user.
    var heirs: [AnonymousAttribution] {
        self.inheritances + (self.firstUser.map { [AnonymousAttribution(upTo: .max, heir: $0)] } ?? [])
    }

    /// All users that the directory names.
    var mentioned: Set<MPID> {
        Set(self.entries.keys).union(self.heirs.compactMap(\.heir)).union([self.current].compactMap { $0 })
    }

    /// True if an event logged without a user was attributed to a user who was erased.
    func isErased(_ sequence: UInt64) -> Bool {
        guard let inheritance = self.inheritances.first(where: { sequence <= $0.upTo }) else { return false }
        return inheritance.heir == nil
    }

    /// Erases a user and all their data.
    ///
    /// If they were current, there is no current user afterwards, and events logged then belong to the next user.
    ///
    /// - Parameters:
    ///   - mpid: The user's MPID.
    ///   - sequence: The last event of this installation before the erasure.
    ///   - now: Milliseconds since 1970.
    /// - Returns: True if the user was known.
    mutating func forget(_ mpid: MPID, upTo sequence: UInt64, now: Int64) -> Bool {
        guard self.mentioned.contains(mpid) else { return false }
        let wasCurrent = self.current == mpid
        var heirs = self.inheritances.map { AnonymousAttribution(upTo: $0.upTo, heir: $0.heir == mpid ? nil : $0.heir) }
        var first = self.firstUser
        if first == mpid || wasCurrent {
            // Events without a user up to here have an owner already; later ones have none yet, unless there is a current user.
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

    /// Joins neighbours with the same owner.
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
    /// Erases a user.
    ///
    /// If they were current, the platform's `context` is deleted.
    ///
    /// The device identities are deleted if there is no current user afterwards.
    ///
    /// - Returns: True if the user was known.
    mutating func forget(_ mpid: MPID, upTo sequence: UInt64, now: Int64) -> Bool {
        if self.directory.current == mpid { self.context = nil }
        guard self.directory.forget(mpid, upTo: sequence, now: now) else { return false }
        if self.directory.current == nil { self.devices = DeviceIdentities() }
        return true
    }
}
