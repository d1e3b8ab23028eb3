// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

// Two processes on copies of one directory have one id among the replicas.
extension FleetMember {
    /// Takes in the token of the last joining, with which a flush was answered.
    ///
    /// - Parameter token: The token; nil if the store has none.
    /// - Throws: ``SharedStoreError``: `directoryInUse` if another process uses a copy of the directory.
    nonisolated(nonsending) func heard(joining token: UUID?) async throws(SharedStoreError) {
        let (own, now, replica) = (self.joining, self.time.uptime, self.replica)
        let isForgotten = self.knowsJoining.withLock { knows in
            if token != nil { knows = true }
            return knows && token == nil
        }
        // The tables were made anew: they must know the workspace before another one has them, and this replica.
        if isForgotten { self.forgetPreparation() }
        switch self.claim.withLock({ $0.flushed(isOwn: token ?? own == own, at: now) }) {
        case .goOn: return
        case .joinAgain:
            _ = try await self.send(.commits) { store throws(SharedStoreError) in
                try await store.join(replica, token: own)
            }
            self.claim.withLock { $0.joinedAgain(at: now) }
        case .stop:
            try self.checkClaim()
        }
    }

    /// Refuses every call once another process has the directory.
    ///
    /// - Throws: ``SharedStoreError``: `directoryInUse`.
    func checkClaim() throws(SharedStoreError) {
        guard self.claim.withLock({ $0.isLost }) else { return }
        self.health?.storeFailed(.directoryInUse, .readings)
        throw SharedStoreError(
            .directoryInUse,
            """
            Another process uses a copy of this directory; the shared store has heard of both. End one of the two. A new replica \
            needs an empty `directory`.
            """
        )
    }
}
