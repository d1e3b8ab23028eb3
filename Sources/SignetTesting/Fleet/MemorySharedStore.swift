// SPDX-License-Identifier: Apache-2.0

public import Signet
import SignetEmulator
import SignetLock
public import SignetModel

public import struct FoundationEssentials.UUID

/// The connection of one replica to a ``MemorySharedEngine``.
///
/// Make one for each replica, and give each its own ``faults``.
public final class MemorySharedStore: SharedStore {
    /// The database.
    public let engine: MemorySharedEngine
    /// What goes wrong on the way to it.
    public let faults = MemoryStoreFaults()
    private let format: Int
    private let isClosed = Locked(false)
    private let counts = Locked<[MemoryStoreFaults.Call: Int]>([:])
    /// Calls whose callers have given up, and that the database has not seen.
    private let late = Locked<[MemoryStoreFaults.Call: [@Sendable () -> Void]]>([:])

    /// Makes a connection.
    ///
    /// - Parameters:
    ///   - engine: The database; by default an empty one, with the clock of the ``EmulatedSignet`` that gets the store.
    ///   - format: The newest format that the replica reads.
    public init(_ engine: MemorySharedEngine = MemorySharedEngine(), reading format: Int = SharedFormat.newest) {
        (self.engine, self.format) = (engine, format)
    }

    /// Closes the connection; every later call throws `unreachable`.
    public func close() {
        self.isClosed.withLock { $0 = true }
    }

    private func call<Value: Sendable>(
        _ call: MemoryStoreFaults.Call,
        _ access: MemorySharedEngine.Access,
        _ body: @escaping @Sendable (inout MemoryDatabase, Int64) throws(SharedStoreError) -> Value
    ) async throws(SharedStoreError) -> SharedAnswer<Value> {
        try self.checkOpen()
        self.counts.withLock { $0[call, default: 0] += 1 }
        // A call on a network suspends: other tasks come in between, here too.
        await Task.yield()
        guard !Task.isCancelled else { throw Self.cancelled }
        for perform in self.late.withLock({ $0.removeValue(forKey: call) ?? [] }) { perform() }
        switch self.faults.next(for: call) {
        case nil:
            return try self.engine.perform(access, body)
        case .refused(let error):
            throw error
        case .replyLost:
            _ = try self.engine.perform(access, body)
            throw SharedStoreError(.outcomeUnknown, "The answer was lost.")
        case .requestLate:
            let engine = self.engine
            self.late.withLock { late in
                // The caller has given up: no error reaches it.
                late[call, default: []].append {
                    do throws(SharedStoreError) { _ = try engine.perform(access, body) } catch {}
                }
            }
            throw SharedStoreError(.outcomeUnknown, "There was no answer in time.")
        case .requestHeld(let gate):
            guard await gate.pass() else { throw Self.cancelled }
            try self.checkOpen()
            return try self.engine.perform(access, body)
        case .replyHeld(let gate):
            let answer = try self.engine.perform(access, body)
            guard await gate.pass() else { throw Self.cancelled }
            return answer
        }
    }

    /// The number of calls of a kind, also of those that failed.
    package func count(of call: MemoryStoreFaults.Call) -> Int {
        self.counts.withLock { $0[call] ?? 0 }
    }

    private func checkOpen() throws(SharedStoreError) {
        guard !self.isClosed.withLock({ $0 }) else { throw SharedStoreError(.unreachable, "The store is closed.") }
    }

    private static let cancelled = SharedStoreError(.cancelled, "The task was cancelled.")

    // MARK: - Rows

    /// Checks the format and the workspace, and binds an empty database to the workspace.
    public func prepare(workspace: [UInt8]) async throws(SharedStoreError) -> SharedAnswer<SharedFormat> {
        try await self.call(.prepare, .writes) { database, _ throws(SharedStoreError) in
            try database.prepare(workspace: workspace, reading: self.format)
        }
    }

    /// Reads rows.
    public func read(_ keys: [UUID]) async throws(SharedStoreError) -> SharedAnswer<[SharedInstallation]> {
        try SharedLimits.check(keys)
        return try await self.call(.read, .reads) { database, _ in database.read(keys) }
    }

    /// Changes rows, each by itself.
    public func commit(
        _ commits: [SharedCommit]
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedCommit.Outcome]> {
        try SharedLimits.check(commits)
        return try await self.call(.commit, .writes) { database, now throws(SharedStoreError) in
            try database.checkLocks(commits.map(\.key))
            return database.commit(commits, now: now)
        }
    }

    /// Removes an installation if its row has this tag, no session, and no slot in use.
    public func remove(_ key: UUID, tag: UUID) async throws(SharedStoreError) -> SharedAnswer<Bool> {
        try await self.call(.remove, .writes) { database, now throws(SharedStoreError) in
            try database.checkLocks([key])
            return database.remove(key, tag: tag, now: now)
        }
    }

    /// Removes installations that nobody has committed to for some days.
    public func removeIdle(days idle: Int, limit: Int) async throws(SharedStoreError) -> SharedAnswer<Int> {
        try SharedLimits.check(count: limit)
        try SharedLimits.check(days: idle)
        return try await self.call(.removeIdle, .writes) { database, now in
            database.removeIdle(days: idle, limit: limit, now: now)
        }
    }

    // MARK: - Consents

    /// Reads the consents of users.
    public func consents(of mpids: [MPID]) async throws(SharedStoreError) -> SharedAnswer<[SharedConsent]> {
        try SharedLimits.check(count: mpids.count)
        return try await self.call(.consents, .reads) { database, _ in database.consents(of: Set(mpids)) }
    }

    /// Writes the consent of a user, if the database has the one with this tag.
    public func write(
        _ consent: SharedConsent,
        replacing tag: UUID?
    ) async throws(SharedStoreError) -> SharedAnswer<SharedConsent.Outcome> {
        try SharedLimits.check(consent)
        return try await self.call(.writeConsent, .writes) { database, now in
            database.write(consent, replacing: tag, now: now)
        }
    }

    /// Removes the consent of a user.
    public func removeConsent(of mpid: MPID) async throws(SharedStoreError) {
        _ = try await self.call(.removeConsent, .writes) { database, _ in database.removeConsent(of: mpid) }
    }

    /// Removes old consents of users whom no row mentions.
    public func removeConsents(days idle: Int, limit: Int) async throws(SharedStoreError) -> SharedAnswer<Int> {
        try SharedLimits.check(count: limit)
        try SharedLimits.check(days: idle)
        return try await self.call(.removeConsents, .writes) { database, now in
            database.removeConsents(days: idle, limit: limit, now: now)
        }
    }

    // MARK: - Slots and sessions

    /// Takes the slot of an installation.
    public func takeSlot(
        _ slot: SharedSlotRequest,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome> {
        try await self.call(.takeSlot, .writes) { database, now throws(SharedStoreError) in
            try database.checkLocks([slot.key])
            return database.takeSlot(slot, for: span, now: now)
        }
    }

    /// Renews a slot that this token has.
    public func renewSlot(
        _ slot: SharedSlotRequest,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome> {
        try await self.call(.renewSlot, .writes) { database, now throws(SharedStoreError) in
            try database.checkLocks([slot.key])
            return database.renewSlot(slot, for: span, now: now)
        }
    }

    /// Frees a slot if this token has it.
    public func releaseSlot(_ slot: SharedSlotRequest) async throws(SharedStoreError) {
        _ = try await self.call(.releaseSlot, .writes) { database, _ throws(SharedStoreError) in
            try database.checkLocks([slot.key])
            database.releaseSlot(slot)
        }
    }

    /// Adds what installations did since the last flush of a replica.
    public func flush(
        _ activities: [SharedActivity],
        of replica: UUID,
        token: UUID,
        age: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedActivity.Outcome]> {
        try SharedLimits.check(activities)
        guard age >= .zero else { throw SharedStoreError(.invalidArgument, "The age of a flush is below zero.") }
        let told = try await self.call(.flush, .writesLater) { database, now in
            let outcomes = database.flush(activities, of: replica, token: token, age: age, now: now)
            let pending = database.pendingErasures(of: replica).count
            return (outcomes: outcomes, pending: pending, joining: database.replicas[replica]?.join)
        }
        var answer = SharedAnswer(told.value.outcomes, at: told.milliseconds)
        (answer.pendingErasures, answer.joining) = (told.value.pending, told.value.joining)
        return answer
    }

    /// Claims rows that are due.
    public func claimDue(
        _ limit: Int,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedInstallation]> {
        try SharedLimits.check(count: limit)
        return try await self.call(.claimDue, .writes) { database, now in
            database.claimDue(limit, for: span, now: now)
        }
    }

    // MARK: - Replicas and erasures

    /// Notes a replica.
    public func join(
        _ replica: UUID,
        token: UUID
    ) async throws(SharedStoreError) -> SharedAnswer<SharedReplica.Joining> {
        try await self.call(.join, .writes) { database, now in database.join(replica, token: token, now: now) }
    }

    /// Notes that a replica has ended.
    public func leave(_ replica: UUID) async throws(SharedStoreError) {
        _ = try await self.call(.leave, .writes) { database, now in database.leave(replica, now: now) }
    }

    /// All replicas that have not been forgotten.
    public func replicas() async throws(SharedStoreError) -> SharedAnswer<[SharedReplica]> {
        try await self.call(.replicas, .reads) { database, _ in database.listReplicas() }
    }

    /// Notes an erasure.
    public func erase(_ erasure: SharedErasure) async throws(SharedStoreError) -> SharedAnswer<Void> {
        try await self.call(.erase, .writes) { database, now in database.erase(erasure, now: now) }
    }

    /// Notes that no row knows the user of an erasure.
    public func finishRows(of erasure: UUID) async throws(SharedStoreError) {
        _ = try await self.call(.finishRows, .writes) { database, _ in database.finishRows(of: erasure) }
    }

    /// The users whom rows mention.
    public func mentionedUsers(after mpid: MPID?, limit: Int) async throws(SharedStoreError) -> SharedAnswer<[MPID]> {
        try SharedLimits.check(count: limit, limit: SharedStoreLimits.users)
        return try await self.call(.mentionedUsers, .reads) { database, _ in
            database.mentionedUsers(after: mpid, limit: limit)
        }
    }

    /// The keys of the rows that mention a user.
    public func mentions(
        of mpid: MPID,
        after key: UUID?,
        limit: Int
    ) async throws(SharedStoreError) -> SharedAnswer<[UUID]> {
        try SharedLimits.check(count: limit)
        return try await self.call(.mentions, .reads) { database, _ in
            database.mentions(of: mpid, after: key, limit: limit)
        }
    }

    /// The erasures that a replica has not acknowledged.
    public func pendingErasures(of replica: UUID) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]> {
        try await self.call(.pendingErasures, .reads) { database, _ in database.pendingErasures(of: replica) }
    }

    /// Notes that a replica has erased on its own disk.
    public func acknowledge(_ erasure: UUID, by replica: UUID) async throws(SharedStoreError) {
        _ = try await self.call(.acknowledge, .writes) { database, _ in
            database.acknowledge(erasure, by: replica)
        }
    }

    /// The replicas that have acknowledged an erasure.
    public func acknowledgements(of erasure: UUID) async throws(SharedStoreError) -> SharedAnswer<[UUID]> {
        try await self.call(.acknowledgements, .reads) { database, _ in database.acknowledgements(of: erasure) }
    }

    /// The erasures of users, found by hash.
    public func erasures(of hashes: [[UInt8]]) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]> {
        try SharedLimits.check(count: hashes.count)
        return try await self.call(.erasures, .reads) { database, _ in database.erasures(of: hashes) }
    }

    /// All erasures, in pages.
    public func erasures(after id: UUID?, limit: Int) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]> {
        try SharedLimits.check(count: limit)
        return try await self.call(.allErasures, .reads) { database, _ in database.erasures(after: id, limit: limit) }
    }

    /// Forgets erasures and ended replicas that are older than some days.
    public func forgetEnded(days: Int) async throws(SharedStoreError) {
        try SharedLimits.check(days: days)
        _ = try await self.call(.forgetEnded, .writes) { database, now in
            database.forgetEnded(days: days, now: now)
        }
    }
}
