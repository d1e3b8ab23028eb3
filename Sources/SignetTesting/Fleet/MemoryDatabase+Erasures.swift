// SPDX-License-Identifier: Apache-2.0

package import Signet
package import SignetModel

package import struct FoundationEssentials.UUID

extension MemoryDatabase {
    // MARK: - Replicas

    /// Notes a replica.
    package mutating func join(_ replica: UUID, token: UUID, now: Int64) -> SharedReplica.Joining {
        var row = self.replicas[replica] ?? Replica(seen: now)
        if row.join != token {
            row.isKnown = row.join != nil
            (row.beat, row.seen, row.join) = (now, now, token)
            self.replicas[replica] = row
        }
        return SharedReplica.Joining(
            isKnown: row.isKnown,
            oldestErasure: self.erasures.map(\.erasure.milliseconds).min()
        )
    }

    /// Notes that a replica has ended in order.
    package mutating func leave(_ replica: UUID, now: Int64) {
        self.replicas[replica]?.beat = nil
        self.replicas[replica]?.seen = now
    }

    /// All replicas, in the order of their ids.
    package func listReplicas() -> [SharedReplica] {
        self.replicas.map { SharedReplica(id: $0, beat: $1.beat, skipped: $1.skipped) }.sorted { $0.id < $1.id }
    }

    // MARK: - Erasures

    /// Notes an erasure; a repetition changes nothing.
    package mutating func erase(_ erasure: SharedErasure, now: Int64) {
        guard !self.erasures.contains(where: { $0.erasure.id == erasure.id }) else { return }
        var noted = erasure
        (noted.milliseconds, noted.areRowsDone) = (now, false)
        self.erasures.append(Erasure(erasure: noted, acknowledgements: []))
    }

    /// Notes that no row knows the user of an erasure.
    package mutating func finishRows(of erasure: UUID) {
        guard let index = self.erasures.firstIndex(where: { $0.erasure.id == erasure }) else { return }
        self.erasures[index].erasure.areRowsDone = true
    }

    /// A page of the users whom rows mention.
    package func mentionedUsers(after mpid: MPID?, limit: Int) -> [MPID] {
        let users = self.rows.values.reduce(into: Set<MPID>()) { $0.formUnion($1.mentions) }
        let next = users.filter { user in mpid.map { $0 < user } ?? true }
        return Array(next.sorted().prefix(limit))
    }

    /// A page of the rows that mention a user.
    package func mentions(of mpid: MPID, after key: UUID?, limit: Int) -> [UUID] {
        let keys = self.rows.filter { rowKey, row in row.mentions.contains(mpid) && key.map { $0 < rowKey } ?? true }
        return Array(keys.keys.sorted().prefix(limit))
    }

    /// The erasures that a replica has not acknowledged.
    package func pendingErasures(of replica: UUID) -> [SharedErasure] {
        let pending = self.erasures.filter { !$0.acknowledgements.contains(replica) }.map(\.erasure)
        // Stable: after a jump of the clock the list is not in the order of time.
        return Array(pending.sorted { $0.milliseconds < $1.milliseconds }.prefix(SharedStoreLimits.batch))
    }

    /// Notes that a replica has erased.
    package mutating func acknowledge(_ erasure: UUID, by replica: UUID) {
        guard let index = self.erasures.firstIndex(where: { $0.erasure.id == erasure }) else { return }
        self.erasures[index].acknowledgements.insert(replica)
    }

    /// The replicas that have acknowledged an erasure.
    package func acknowledgements(of erasure: UUID) -> [UUID] {
        self.erasures.first { $0.erasure.id == erasure }?.acknowledgements.sorted() ?? []
    }

    /// The erasures of users.
    package func erasures(of hashes: [[UInt8]]) -> [SharedErasure] {
        let hashes = Set(hashes)
        return self.erasures.map(\.erasure).filter { hashes.contains($0.hash) }
    }

    /// A page of all erasures.
    package func erasures(after id: UUID?, limit: Int) -> [SharedErasure] {
        let next = self.erasures.map(\.erasure).filter { erasure in id.map { $0 < erasure.id } ?? true }
        return Array(next.sorted { $0.id < $1.id }.prefix(limit))
    }

    /// Forgets old erasures whose rows are done, and old replicas.
    package mutating func forgetEnded(days: Int, now: Int64) {
        let end = Self.moment(days: days, before: now)
        self.erasures.removeAll { $0.erasure.areRowsDone && $0.erasure.milliseconds <= end }
        self.replicas = self.replicas.filter { $0.value.seen > end }
    }
}
