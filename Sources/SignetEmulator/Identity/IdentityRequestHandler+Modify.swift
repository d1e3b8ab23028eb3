// SPDX-License-Identifier: Apache-2.0

import struct SignetModel.IdentityType
import struct SignetModel.MPID

extension IdentityRequestHandler {
    /// A unique identity that another profile lost to the modified one.
    struct ChangeResult: Sendable, Hashable {
        let type: IdentityType
        let modified: MPID
    }

    /// Applies all changes of the request to the identities of one profile, or none.
    ///
    /// The MPID never changes. An `old_value` that the profile does not hold is accepted: no source says otherwise.
    func modify(_ request: ModifyRequest, in store: inout UserStore, at now: Int64) throws(Refusal) -> [ChangeResult] {
        guard let profile = store[request.mpid] else {
            throw .notFound("No user has this MPID.")
        }
        try self.checkImmutable(request.changes, of: profile, in: store)
        var results: [ChangeResult] = []
        for change in request.changes {
            results += self.apply(change, to: request.mpid, in: &store)
        }
        store.update(request.mpid) { $0.identified(at: now) }
        return results
    }

    private func checkImmutable(
        _ changes: [ModifyRequest.Change],
        of profile: UserRecord,
        in store: UserStore
    ) throws(Refusal) {
        var values = profile.identities.compactMapValues(\.first)
        for change in changes where self.rules.immutable.contains(change.type) {
            if let current = values[change.type], change.new != current {
                throw .badRequest("'\(change.type.wireName)' is immutable and already set.")
            }
            if let new = change.new, !store.holders(of: new, change.type).subtracting([profile.mpid]).isEmpty {
                throw .badRequest("'\(change.type.wireName)' is immutable and belongs to another user.")
            }
            values[change.type] = change.new
        }
    }

    private func apply(
        _ change: ModifyRequest.Change,
        to mpid: MPID,
        in store: inout UserStore
    ) -> [ChangeResult] {
        // If a profile may hold several values, only the named old one is removed.
        if !self.rules.strategy.collectsValues {
            store.removeAll(of: change.type, from: mpid)
        } else if let old = change.old {
            store.remove(old, of: change.type, from: mpid)
        }
        guard let new = change.new else { return [] }
        var losers: [MPID] = []
        if self.rules.unique.contains(change.type) {
            losers = store.holders(of: new, change.type).subtracting([mpid]).sorted()
        }
        guard self.take(new, of: change.type, for: mpid, in: &store) else { return [] }
        store.insert(new, of: change.type, into: mpid)
        return losers.map { ChangeResult(type: change.type, modified: $0) }
    }
}
