// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

// Erasures that all replicas know.
extension FleetMember {
    /// The time before joining from which an erasure counts as later, in milliseconds.
    private static let tolerance: Int64 = 60_000
    /// The days for which erasures and replicas are kept at least: 90 for the events, and spare ones.
    private static let leastDays = 97
    private static let spareDays = 7

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

    /// The users among some whom all replicas were told to erase; they may have come back since.
    nonisolated(nonsending) func erased(among users: Set<MPID>) async throws(SignetError) -> Set<MPID> {
        let named = users.map { (mpid: $0, hash: Tombstone.hash($0, workspace: self.workspace)) }
        var erased: Set<[UInt8]> = []
        for start in stride(from: 0, to: named.count, by: SharedStoreLimits.batch) {
            let hashes = named[start..<min(start + SharedStoreLimits.batch, named.count)].map(\.hash)
            let found = try await self.asked { store throws(SharedStoreError) in try await store.erasures(of: hashes) }
            erased.formUnion(found.map(\.hash))
        }
        return Set(named.filter { erased.contains($0.hash) }.map(\.mpid))
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

    /// True for an erasure of before this replica's directory was made: nothing here can name its user.
    ///
    /// Those of the last minute count as later: the clocks of two answers differ. If the database's clock has gone back since, all do.
    func precedes(_ erasure: SharedErasure) -> Bool {
        guard let begin = self.begin.withLock({ $0 }) else { return false }
        let now = self.time.uptime
        guard let time = self.clock.milliseconds(at: now) else { return false }
        let isBack = time < begin.milliseconds + (now - begin.uptime).milliseconds - Self.tolerance
        return !isBack && erasure.milliseconds < begin.milliseconds - Self.tolerance
    }

    /// Forgets old erasures and replicas that have ended; one replica's call serves all.
    ///
    /// - Parameter age: The greatest age of an event on disk. A directory may come back with events of that age, and must then find
    ///   each erasure of that time.
    /// - Throws: ``SignetError`` of the store.
    nonisolated(nonsending) func forgetEnded(keepingFor age: Duration) async throws(SignetError) {
        let days = max(Self.leastDays, Int(age.components.seconds / 86_400) + Self.spareDays)
        do throws(SharedStoreError) {
            try await self.store.forgetEnded(days: min(days, SharedStoreLimits.days))
        } catch {
            throw SignetError(error)
        }
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
                return self.clock.jumps.moved(beat) > replicas.milliseconds - SharedSessionRules.patience
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
