// SPDX-License-Identifier: Apache-2.0

package import Signet
package import SignetModel

package import struct FoundationEssentials.UUID

extension MemoryDatabase {
    /// The consents of users.
    package func consents(of mpids: Set<MPID>) -> [SharedConsent] {
        mpids.sorted().compactMap { self.consents[$0]?.consent }
    }

    /// A row as a replica reads it, with the consents of its users.
    func withConsents(_ row: Row) -> SharedInstallation {
        var installation = row.installation
        installation.consents = self.consents(of: row.mentions)
        return installation
    }

    /// Writes the consent of a user, if the database has the one with this tag.
    package mutating func write(
        _ consent: SharedConsent,
        replacing tag: UUID?,
        now: Int64
    ) -> SharedConsent.Outcome {
        if let found = self.consents[consent.mpid]?.consent {
            guard found.tag == tag || found.tag == consent.tag else { return .differs(found) }
        } else {
            guard tag == nil, self.isMentioned(consent.mpid) else { return .differs(nil) }
        }
        self.consents[consent.mpid] = Consent(consent: consent, seen: now)
        return .written
    }

    /// Removes the consent of a user.
    package mutating func removeConsent(of mpid: MPID) {
        self.consents[mpid] = nil
    }

    /// Removes consents that were not written for some days, of users whom no row mentions.
    package mutating func removeConsents(days: Int, limit: Int, now: Int64) -> Int {
        let end = Self.moment(days: days, before: now)
        let idle = self.consents.filter { mpid, consent in consent.seen <= end && !self.isMentioned(mpid) }
        let removed = idle.keys.sorted().prefix(limit)
        for mpid in removed { self.consents[mpid] = nil }
        return removed.count
    }

    private func isMentioned(_ mpid: MPID) -> Bool {
        self.rows.values.contains { $0.mentions.contains(mpid) }
    }
}
