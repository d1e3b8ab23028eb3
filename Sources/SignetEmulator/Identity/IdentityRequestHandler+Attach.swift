// SPDX-License-Identifier: Apache-2.0

import struct SignetModel.IdentityType
import struct SignetModel.MPID

extension IdentityRequestHandler {
    /// Adds the identities of a request to the profile that it resolved to.
    func attach(_ given: [IdentityType: String], to match: Match, in store: inout UserStore) {
        let mpid = match.profile.mpid
        for (type, value) in given where !match.profile.holds(value, of: type) {
            guard self.mayChange(type, of: match), self.take(value, of: type, for: mpid, in: &store) else { continue }
            if !self.rules.strategy.collectsValues {
                store.removeAll(of: type, from: mpid)
            }
            store.insert(value, of: type, into: mpid)
        }
    }

    // A set immutable value stays. A set login value stays too, unless a more important login identity found the profile;
    // no source documents that case.
    private func mayChange(_ type: IdentityType, of match: Match) -> Bool {
        guard match.profile.identities[type] != nil else { return true }
        if self.rules.immutable.contains(type) {
            return false
        }
        guard self.rules.login.contains(type) else { return true }
        return self.rules.login.contains(match.decidedBy) && self.rules.rank(match.decidedBy) < self.rules.rank(type)
    }

    /// Removes a unique value from all other profiles; those left without identities are orphaned.
    ///
    /// - Returns: False if its type is immutable and it belongs to another profile.
    func take(_ value: String, of type: IdentityType, for mpid: MPID, in store: inout UserStore) -> Bool {
        guard self.rules.unique.contains(type) else { return true }
        let others = store.holders(of: value, type).subtracting([mpid])
        guard others.isEmpty || !self.rules.immutable.contains(type) else { return false }
        for other in others {
            store.remove(value, of: type, from: other)
        }
        return true
    }
}
