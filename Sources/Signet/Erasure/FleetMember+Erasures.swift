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

    /// Notes an erasure of this replica for all others; again does no harm.
    nonisolated(nonsending) func note(_ tombstone: Tombstone) async throws(SignetError) {
        let erasure = SharedErasure(id: tombstone.id, hash: tombstone.hash, by: self.replica)
        try await self.asked(.commits) { store throws(SharedStoreError) in try await store.erase(erasure) }
    }

    /// Notes that no row knows the user of an erasure.
    nonisolated(nonsending) func finishRows(of erasure: UUID) async throws(SignetError) {
        try await self.done { store throws(SharedStoreError) in try await store.finishRows(of: erasure) }
    }

    /// True if this replica must finish the rows of an erasure: it has noted it, or the replica that has is dead.
    ///
    /// False also if they were finished meanwhile.
    nonisolated(nonsending) func mustFinishRows(of erasure: SharedErasure) async throws(SignetError) -> Bool {
        let takeover = ErasureTakeover(replica: self.replica, jumps: self.clock.jumps)
        do throws(SharedStoreError) {
            let replicas = try await self.look { store throws(SharedStoreError) in try await store.replicas() }
            return takeover.isDue(erasure, among: replicas.value, at: replicas.milliseconds)
        } catch {
            throw SignetError(error)
        }
    }

    /// True if the rows of an erasure are done by now, or it was forgotten.
    nonisolated(nonsending) func areRowsDone(of erasure: Tombstone) async throws(SignetError) -> Bool {
        let hash = erasure.hash
        let found = try await self.looked { store throws(SharedStoreError) in try await store.erasures(of: [hash]) }
        return found.first { $0.id == erasure.id }?.areRowsDone ?? true
    }

    /// The users whom rows mention, after one.
    nonisolated(nonsending) func mentionedUsers(after mpid: MPID?) async throws(SignetError) -> [MPID] {
        try await self.looked { store throws(SharedStoreError) in
            try await store.mentionedUsers(after: mpid, limit: SharedStoreLimits.users)
        }
    }

    /// The users among some whom all replicas were told to erase.
    ///
    /// - Returns: The users, who may have come back since; and those of them whom rows may know only because the erasure is not through.
    nonisolated(nonsending) func erased(
        among users: Set<MPID>
    ) async throws(SignetError) -> (all: Set<MPID>, unfinished: Set<MPID>) {
        let named = users.map { (mpid: $0, hash: Tombstone.hash($0, workspace: self.workspace)) }
        var (erased, unfinished): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
        for start in stride(from: 0, to: named.count, by: SharedStoreLimits.batch) {
            let hashes = named[start..<min(start + SharedStoreLimits.batch, named.count)].map(\.hash)
            let found = try await self.looked { store throws(SharedStoreError) in try await store.erasures(of: hashes) }
            erased.formUnion(found.map(\.hash))
            unfinished.formUnion(found.filter { !$0.areRowsDone }.map(\.hash))
        }
        return (
            Set(named.filter { erased.contains($0.hash) }.map(\.mpid)),
            Set(named.filter { unfinished.contains($0.hash) }.map(\.mpid))
        )
    }

    /// The erasures that this replica has not acknowledged, and those that its directory lacks.
    nonisolated(nonsending) func pendingErasures() async throws(SignetError) -> [SharedErasure] {
        let replica = self.replica
        let pending = try await self.looked { store throws(SharedStoreError) in
            try await store.pendingErasures(of: replica)
        }
        let known = Set(pending.map(\.id))
        return pending + (try await self.lackingErasures()).filter { !known.contains($0.id) }
    }

    /// True until this process has compared the store's erasures with those of its directory, and has repeated what it lacks.
    var lacksErasures: Bool {
        self.lacking.withLock { $0?.isEmpty != true }
    }

    /// Compares the erasures of the store with those that the directory has carried out, once.
    ///
    /// The acknowledgements say nothing of a directory from a backup: it has the id of the replica that made them.
    private nonisolated(nonsending) func lackingErasures() async throws(SignetError) -> [SharedErasure] {
        if let known = self.lacking.withLock({ $0 }) { return known }
        // Read first: what is noted meanwhile must not seem to be forgotten by the store.
        guard let carriedOut = self.carriedOut else { return [] }
        let (noted, unfinished) = try await carriedOut.all()
        var (stored, lacking): (Set<UUID>, [SharedErasure]) = ([], [])
        var last: UUID?
        while true {
            let (after, limit) = (last, SharedStoreLimits.batch)
            let page = try await self.looked { store throws(SharedStoreError) in
                try await store.erasures(after: after, limit: limit)
            }
            stored.formUnion(page.map(\.id))
            lacking += page.filter { !noted.contains($0.id) || unfinished.contains($0.id) }
            guard page.count == limit else { break }
            last = page.last?.id
        }
        try carriedOut.forget(noted.subtracting(stored))
        self.lacking.withLock { $0 = lacking }
        return lacking
    }

    /// True if no event of an erasure's user that was logged here before it can go out: it was carried out here, or is older than the
    /// directory.
    func isCarriedOut(_ erasure: SharedErasure) -> Bool {
        self.stage(of: erasure.id) != nil || self.precedes(erasure)
    }

    /// Notes in the directory that it has carried out an erasure, and acknowledges it to the store.
    nonisolated(nonsending) func acknowledge(_ erasure: UUID) async throws(SignetError) {
        try self.carriedOut?.note(erasure)
        let replica = self.replica
        try await self.done { store throws(SharedStoreError) in try await store.acknowledge(erasure, by: replica) }
        self.lacking.withLock { $0?.removeAll { $0.id == erasure } }
    }

    private nonisolated(nonsending) func done(
        _ body: nonisolated(nonsending) (any SharedStore) async throws(SharedStoreError) -> Void
    ) async throws(SignetError) {
        do throws(SharedStoreError) {
            try self.checkClaim()
            try await body(self.store)
        } catch {
            throw SignetError(error)
        }
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
        // The directory forgets them too, with the next comparison.
        self.lacking.withLock { if $0?.isEmpty == true { $0 = nil } }
    }

    /// True if this process or an earlier one has carried out an erasure, with its rows done, on this directory's disk.
    func hasCarriedOut(_ erasure: UUID) -> Bool {
        self.carriedOut?.contains(erasure) ?? false
    }

    /// The progress of an erasure on the disk, as far as this process has carried it out; nil if it has not.
    func stage(of erasure: UUID) -> ErasureStage? {
        self.erased.withLock { $0[erasure] }
    }

    /// Notes the progress of an erasure on the disk.
    func carriedOut(_ erasure: UUID, _ stage: ErasureStage) {
        self.erased.withLock { $0[erasure] = stage }
    }

    /// The replicas that live and have not erased.
    nonisolated(nonsending) func replicas(without erasure: UUID) async throws(SignetError) -> [UUID] {
        do throws(SharedStoreError) {
            let replicas = try await self.look { store throws(SharedStoreError) in try await store.replicas() }
            let done = try await self.look { store throws(SharedStoreError) in
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
        try await self.looked { store throws(SharedStoreError) in
            try await store.mentions(of: mpid, after: key, limit: 64)
        }
    }
}
