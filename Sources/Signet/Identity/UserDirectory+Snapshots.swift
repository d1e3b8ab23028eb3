// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.Date

extension UserDirectory {
    /// A snapshot of the current user.
    func currentUser(now: Int64) -> User? {
        self.current.flatMap { self.user($0, now: now) }
    }

    /// A snapshot of a user; `lastSeen` is now for the current one, and the time of the switch for others.
    func user(_ mpid: MPID, now: Int64) -> User? {
        guard let entry = self.entries[mpid] else { return nil }
        return User(
            mpid: mpid,
            identities: entry.identities.mapValues {
                User.Identity(value: $0.value, firstSet: Date(milliseconds: $0.firstSet))
            },
            attributes: entry.attributes,
            consent: entry.consent,
            isLoggedIn: entry.isLoggedIn,
            isEphemeral: entry.isEphemeral,
            firstSeen: Date(milliseconds: entry.firstSeen),
            lastSeen: Date(milliseconds: mpid == self.current ? max(now, entry.lastSeen) : entry.lastSeen)
        )
    }

    /// All users: the current one first, then by `lastSeen`, latest first; ties by MPID, so that the order is stable.
    func allUsers(now: Int64) -> [User] {
        self.entries.keys
            .compactMap { self.user($0, now: now) }
            .sorted { lhs, rhs in
                if (lhs.mpid == self.current) != (rhs.mpid == self.current) { return lhs.mpid == self.current }
                return lhs.lastSeen != rhs.lastSeen ? lhs.lastSeen > rhs.lastSeen : lhs.mpid < rhs.mpid
            }
    }
}
