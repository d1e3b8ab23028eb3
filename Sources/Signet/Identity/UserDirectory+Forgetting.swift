// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension UserDirectory {
    /// The owners of events logged while there was no user, in the order of the events; later ones wait for the next user.
    var anonymousAttributions: [AnonymousAttribution] {
        self.pastAttributions + (self.firstUser.map { [AnonymousAttribution(upTo: .max, mpid: $0)] } ?? [])
    }

    /// All users that the directory names.
    var mentioned: Set<MPID> {
        Set(self.entries.keys).union(self.anonymousAttributions.compactMap(\.mpid)).union(
            [self.current].compactMap { $0 }
        )
    }

    /// True if an event logged without a user was attributed to a user who was erased.
    func isErased(_ sequence: UInt64) -> Bool {
        guard let anonymousAttribution = self.pastAttributions.first(where: { sequence <= $0.upTo }) else {
            return false
        }
        return anonymousAttribution.mpid == nil
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
        var anonymousAttributions = self.pastAttributions.map {
            AnonymousAttribution(upTo: $0.upTo, mpid: $0.mpid == mpid ? nil : $0.mpid)
        }
        var first = self.firstUser
        if first == mpid || wasCurrent {
            // Events without a user up to here have an owner already; later ones have none yet, unless there is a current user.
            if let first {
                anonymousAttributions.append(AnonymousAttribution(upTo: sequence, mpid: first == mpid ? nil : first))
            }
            first = wasCurrent ? nil : self.current
        }
        var entries = self.entries
        entries[mpid] = nil
        self = UserDirectory(
            createdAt: self.createdAt,
            entries: entries,
            current: wasCurrent ? nil : self.current,
            firstUser: first,
            pastAttributions: Self.joined(anonymousAttributions),
            vacantSince: wasCurrent ? now : self.vacantSince,
            anonymousAttributes: self.anonymousAttributes,
            anonymousConsent: self.anonymousConsent,
            unsentAnonymousConsent: self.unsentAnonymousConsent,
            lastChange: self.lastChange
        )
        return true
    }

    /// Forgets the owners of earlier events without a user: a shared row knows them by their moments.
    mutating func forgetPastAttributions() {
        self = UserDirectory(
            createdAt: self.createdAt,
            entries: self.entries,
            current: self.current,
            firstUser: self.firstUser,
            vacantSince: self.vacantSince,
            anonymousAttributes: self.anonymousAttributes,
            anonymousConsent: self.anonymousConsent,
            unsentAnonymousConsent: self.unsentAnonymousConsent,
            lastChange: self.lastChange
        )
    }

    /// Joins neighbours with the same owner.
    private static func joined(_ pastAttributions: [AnonymousAttribution]) -> [AnonymousAttribution] {
        var joined: [AnonymousAttribution] = []
        for anonymousAttribution in pastAttributions {
            if joined.last?.mpid == anonymousAttribution.mpid, !joined.isEmpty { joined.removeLast() }
            joined.append(anonymousAttribution)
        }
        return joined
    }
}

extension IdentityState {
    /// All users that the record names, or may name in a field of a newer version.
    var mentioned: Set<MPID> {
        self.directory.entries.values.reduce(into: self.directory.mentioned.union(self.unknown.named)) {
            $0.formUnion($1.unknown.named)
        }
    }

    /// Erases a user.
    ///
    /// If they were current, the platform's `context` is deleted.
    ///
    /// If there is no current user afterwards, the device identities are deleted, and the attributes for integrations,
    /// which hold a partner's ids of the user or the device.
    ///
    /// - Returns: True if the user was known.
    mutating func forget(_ mpid: MPID, upTo sequence: UInt64, now: Int64) -> Bool {
        if self.directory.current == mpid { self.context = nil }
        let isNamed = self.forgetUnknown(mpid)
        guard self.directory.forget(mpid, upTo: sequence, now: now) else { return isNamed }
        guard self.directory.current == nil else { return true }
        self.devices = DeviceIdentities()
        self.integrations = IntegrationAttributes()
        return true
    }

    /// Removes the fields of a newer version that name a user.
    ///
    /// - Returns: True if there was one.
    mutating func forgetUnknown(_ mpid: MPID) -> Bool {
        var isNamed = self.unknown.named.contains(mpid)
        if isNamed { self.unknown.forget(mpid) }
        for (user, entry) in self.directory.entries where !entry.unknown.isEmpty {
            if self.directory.entries[user]?.unknown.forget(mpid) ?? false { isNamed = true }
        }
        return isNamed
    }
}
