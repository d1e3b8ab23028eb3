// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

// Erasures that all replicas know.
extension FleetMember {
    /// Makes the tombstone of an erasure that this or another replica has noted.
    func tombstone(of erasure: SharedErasure) -> Tombstone {
        Tombstone(erasure, workspace: self.workspace)
    }

    /// Notes an erasure for all replicas.
    nonisolated(nonsending) func note(erasureOf mpid: MPID) async throws(SignetError) -> SharedErasure {
        let erasure = SharedErasure(id: .random(), hash: Tombstone.hash(mpid, workspace: self.workspace))
        try await self.asked { store throws(SharedStoreError) in try await store.erase(erasure) }
        return erasure
    }

    /// True if all replicas were told to erase a user, and the row of an event does not know the user.
    nonisolated(nonsending) func isErased(_ mpid: MPID) async throws(SignetError) -> Bool {
        let hash = Tombstone.hash(mpid, workspace: self.workspace)
        return try await !self.asked { store throws(SharedStoreError) in try await store.erasures(of: [hash]) }.isEmpty
    }

    /// The erasures that this replica has not done.
    nonisolated(nonsending) func pendingErasures() async throws(SignetError) -> [SharedErasure] {
        let replica = self.replica
        return try await self.asked { store throws(SharedStoreError) in
            try await store.pendingErasures(of: replica)
        }
    }

    /// Notes that this replica has erased.
    nonisolated(nonsending) func acknowledge(_ erasure: UUID) async throws(SignetError) {
        do throws(SharedStoreError) {
            try await self.store.acknowledge(erasure, by: self.replica)
        } catch {
            throw SignetError(error)
        }
        self.erased.withLock { _ = $0.insert(erasure) }
    }

    /// True if this process has noted that.
    func hasErased(_ erasure: UUID) -> Bool {
        self.erased.withLock { $0.contains(erasure) }
    }

    /// The replicas that live and have not erased.
    nonisolated(nonsending) func replicas(without erasure: UUID) async throws(SignetError) -> [UUID] {
        do throws(SharedStoreError) {
            let replicas = try await self.ask { store throws(SharedStoreError) in try await store.replicas() }
            let done = try await self.ask { store throws(SharedStoreError) in
                try await store.acknowledgements(of: erasure)
            }
            return replicas.value.filter { replica in
                guard let beat = replica.beat, !done.value.contains(replica.id) else { return false }
                return beat > replicas.milliseconds - SharedSessionRules.patience
            }.map(\.id)
        } catch {
            throw SignetError(error)
        }
    }

    /// The keys of the rows that mention a user, after a key.
    nonisolated(nonsending) func mentions(of mpid: MPID, after key: UUID?) async throws(SignetError) -> [UUID] {
        try await self.asked { store throws(SharedStoreError) in
            try await store.mentions(of: mpid, after: key, limit: 64)
        }
    }
}
