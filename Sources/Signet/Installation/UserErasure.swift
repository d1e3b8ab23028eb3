// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

import struct FoundationEssentials.UUID

/// Erases users from the whole directory: on all installations, open or not.
///
/// `SignetRuntime.eraseUser(_:within:)` says in which order, and what stays.
struct UserErasure: Sendable {
    /// The findings of an erasure.
    struct Report: Sendable {
        var findings: ErasureFindings
        /// The number of events that were not delivered and never will be.
        let events: Int
        /// The number of batches in flight that had no answer in time.
        let batchesAbandoned: Int
        /// The number of live replicas that had not erased in time.
        var replicasLeft = 0
    }

    let context: RuntimeContext
    let managers: RuntimeManagers
    let registry: InstallationRegistry
    /// The rows of a shared store; nil if there is none.
    private let shared: SharedStores?
    /// Lets one erasure go on at a time.
    let lock = ErasureLock()

    init(
        _ context: RuntimeContext,
        _ managers: RuntimeManagers,
        _ registry: InstallationRegistry,
        _ shared: SharedStores?
    ) {
        (self.context, self.managers, self.registry, self.shared) = (context, managers, registry, shared)
    }

    /// Erases a user, in turn.
    ///
    /// - Parameters:
    ///   - mpid: The user's MPID.
    ///   - limit: The time to wait for answers to the user's batches that are on the wire.
    /// - Returns: The findings, and the events that are left.
    /// - Throws: `SignetError` of the disk; the erasure is tried again.
    func erase(_ mpid: MPID, within limit: Duration) async throws(SignetError) -> Report {
        let time = self.context.configuration.time
        let deadline = time.uptime + limit
        await self.lock.acquire()
        let result: Result<Report, SignetError>
        var noted: SharedErasure?
        do throws(SignetError) {
            if let shared = self.shared {
                let erasure = try await shared.fleet.note(erasureOf: mpid)
                noted = erasure
                result = .success(try await self.eraseEverywhere(mpid, erasure, shared, within: limit))
            } else {
                result = .success(try await self.eraseNow(mpid, Tombstone(of: mpid), within: limit))
            }
            await self.lock.finished(mpid)
        } catch {
            result = .failure(error)
            await self.noteUnfinished(mpid, error)
        }
        await self.lock.release()
        var report = try result.get()
        // Not in the turn: the other replica may be waiting for this one.
        if let noted { report.replicasLeft = await self.awaitReplicas(noted.id, until: deadline) }
        return report
    }

    /// Does something in the turn of an erasure; nothing if an erasure is under way.
    func between(_ body: () async -> Void) async {
        guard await self.lock.acquireIfFree() else { return }
        await body()
        await self.lock.release()
    }

    /// Retries erasures that a disk error has cut short in this process.
    func finishErasures() async {
        for mpid in await self.lock.unfinished {
            // The call itself reports the error; the erasure stays for the next time.
            do throws(SignetError) { _ = try await self.erase(mpid, within: .seconds(10)) } catch { continue }
        }
    }

    private func noteUnfinished(_ mpid: MPID, _ error: SignetError) async {
        // Not retried: an error that only a newer version can fix, and any error after the end.
        guard error.code == .diskFull || error.code == .diskFailed else { return }
        guard await self.stands(mpid), await self.lock.failed(mpid, error) else { return }
        self.context.observer.erasureFailed(error)
    }

    private func stands(_ mpid: MPID) async -> Bool {
        do throws(SignetError) {
            return try await self.tombstone(of: mpid) != nil
        } catch {
            // Unknown; another try does no harm.
            return true
        }
    }

    /// The record of an erasure that is not finished.
    private func tombstone(of mpid: MPID) async throws(SignetError) -> Tombstone? {
        let store = self.context.store
        return try await self.context.disk.perform { () throws(SignetError) in
            try Tombstone.stored(in: store).first { $0.names(mpid) }
        }
    }

    // MARK: - Over replicas

    /// Erases a user from the rows and from this replica's disk.
    ///
    /// The erasure was noted before: no replica makes a batch of an event whose user was erased and is in no row.
    private func eraseEverywhere(
        _ mpid: MPID,
        _ erasure: SharedErasure,
        _ shared: SharedStores,
        within limit: Duration
    ) async throws(SignetError) -> Report {
        let rows = try await self.forgetRows(of: mpid, shared)
        var report = try await self.eraseNow(mpid, shared.fleet.tombstone(of: erasure), within: limit)
        report.findings.installations = rows
        try await shared.fleet.acknowledge(erasure.id)
        return report
    }

    /// Waits for the other replicas to erase on their disks.
    ///
    /// - Returns: The number of live replicas that have not by then; the last known one if the store is away.
    private func awaitReplicas(_ erasure: UUID, until deadline: Duration) async -> Int {
        guard let fleet = self.shared?.fleet else { return 0 }
        let time = self.context.configuration.time
        var left = 0
        while true {
            do throws(SignetError) { left = try await fleet.replicas(without: erasure).count } catch {
                left = max(1, left)
            }
            guard left > 0, time.uptime < deadline, !Task.isCancelled else { return left }
            // A cancellation ends the wait only.
            do { try await time.sleep(for: .milliseconds(500)) } catch { return left }
        }
    }

    /// Forgets a user in all rows that mention them.
    ///
    /// - Returns: The number of these rows.
    private func forgetRows(of mpid: MPID, _ shared: SharedStores) async throws(SignetError) -> Int {
        var last: UUID?
        var count = 0
        while true {
            let keys = try await shared.fleet.mentions(of: mpid, after: last)
            guard !keys.isEmpty else { return count }
            for row in try await shared.fleet.read(keys).value {
                if try await self.forget(mpid, shared.store(of: row.id)) { count += 1 }
            }
            last = keys.last
        }
    }

    /// Forgets a user in a row.
    ///
    /// - Returns: True if the row knew the user.
    func forget(_ mpid: MPID, _ store: SharedInstallationStore) async throws(SignetError) -> Bool {
        try await store.refresh()
        guard store.hasRow else { return false }
        let found = try await store.commitUnlessGone { machine, transaction throws(SignetError) in
            try UserForgetting(mpid).write(&machine, &transaction)?.before.directory.mentioned.contains(mpid) ?? false
        }
        // Removed meanwhile, with the user.
        guard let commit = found else { return false }
        self.shared?.follow(commit)
        if let failure = commit.failure { throw failure }
        return commit.value
    }

    /// Erases on this replica's disk a user whom another replica has erased from the rows.
    ///
    /// - Throws: `SignetError`; the next call tries again.
    func eraseHere(_ erasure: SharedErasure, in fleet: FleetMember) async throws(SignetError) {
        let tombstone = fleet.tombstone(of: erasure)
        await self.lock.acquire()
        let result: Result<Void, SignetError>
        do throws(SignetError) {
            // A directory that was made later has nothing to erase. Acknowledged again below: a failover may have lost that.
            if !fleet.hasErased(erasure.id), !fleet.precedes(erasure) {
                // The erasure does not say who it is: the users whom this process knows are compared.
                var known = await self.managers.events.users
                known.formUnion(await self.managers.aliases.knownUsers)
                for core in self.registry.all { known.formUnion(core.identityState.directory.mentioned) }
                if let mpid = known.first(where: { tombstone.names($0) }) {
                    _ = try await self.eraseNow(mpid, tombstone, within: .seconds(10))
                } else {
                    try await self.eraseFiles(of: tombstone)
                }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await self.lock.release()
        try result.get()
        try await fleet.acknowledge(erasure.id)
    }

    /// Removes from the files what is left of a user whom this process does not know: delivered events, and records.
    ///
    /// It reads and writes the whole directory, on the disk's own thread.
    @concurrent
    private func eraseFiles(of tombstone: Tombstone) async throws(SignetError) {
        guard self.context.lifecycle.acceptsCalls else { throw .notRunning }
        var records = RecordErasure([tombstone], self.context.ownContexts, self.managers.linked.stored)
        let last = try self.context.lastSequence()
        try await self.eraseRecords(&records, upTo: last) { erasure throws(SignetError) in
            erasure = try await self.managers.events.erase(erasure)
        }
        _ = try await self.eraseFrames(records)
        try await self.context.disk.syncTogether()
    }

    // MARK: - In this directory

    private func eraseRecords(
        _ records: inout RecordErasure,
        upTo last: UInt64,
        others: (inout RecordErasure) async throws(SignetError) -> Void
    ) async throws(SignetError) {
        let (registry, now) = (self.registry, self.context.configuration.time.milliseconds)
        try await records.eraseAll(
            upTo: last,
            now: now,
            besides: { Set(registry.all.map(\.identityState.number)) },
            on: self.context.disk,
            others: others
        )
    }

    private func eraseFrames(
        _ records: RecordErasure,
        attributed: Set<UInt64> = []
    ) async throws(SignetError) -> (live: Int, copies: Int) {
        let context = self.context
        let (count, result) = try await context.disk.perform { () throws(SignetError) in
            var frames = try FrameErasure(records.subjects, records.findings, context.store, attributed: attributed)
            var count = 0
            let result = Result { () throws(SignetError) in try frames.erase(context.journal) { count += $0 } }
            return (count, result)
        }
        // Not on the thread: the observer runs code of the app.
        context.dropped(count, .forgotten)
        let erased = try result.get()
        return (erased.live, erased.copies)
    }

    /// Erases a user; it reads and writes the whole directory, on the disk's own thread.
    @concurrent
    private func eraseNow(
        _ mpid: MPID,
        _ new: Tombstone,
        within limit: Duration
    ) async throws(SignetError) -> Report {
        guard self.context.lifecycle.acceptsCalls else { throw .notRunning }
        let time = self.context.configuration.time
        let deadline = time.uptime + limit
        var tombstone = try await self.writeTombstone(mpid, new)
        let attributed = try await self.managers.events.forget(mpid)
        await self.managers.aliases.forget(mpid)
        // Events of this user are logged under an installation's lock, and no longer once it has forgotten the user.
        var records = RecordErasure([tombstone], self.context.ownContexts, self.managers.linked.stored)
        // Also after an error: what was removed is found by no other try.
        defer { self.context.statistics.recordsErased(records.findings.serviceRecords, self.managers.linked.stored) }
        try await self.forgetIdentities(mpid, &records)
        tombstone.reach = try self.context.lastSequence()
        try self.context.store.put(tombstone.encoded(), for: StateKey.tombstone(tombstone.id))
        await self.managers.events.limitForgetting(mpid, to: tombstone.reach)
        let abandoned = await self.awaitAnswers(mpid, until: deadline)
        let before = records.findings
        records = RecordErasure([tombstone], self.context.ownContexts, self.managers.linked.stored)
        records.findings.note(before.serviceRecords)
        try await self.eraseRecords(&records, upTo: tombstone.reach) { erasure throws(SignetError) in
            try await self.forgetIdentities(mpid, &erasure)
            erasure = try await self.managers.events.erase(erasure)
        }
        records.findings.installations += before.installations
        let deadLetters = records.findings.deadLetteredEvents
        self.context.statistics.record { $0.eventsDiscarded += deadLetters }
        let erasure = try await self.eraseFrames(records, attributed: attributed)
        records.findings.damagedCopies += erasure.copies
        let (context, now) = (self.context, time.uptime)
        try await records.perform(on: context.disk) { erasure throws(SignetError) in
            try erasure.eraseContexts(now: now) { used throws(SignetError) in try context.noteLoggedContexts(&used) }
        }
        // Events before the first user are attributed by their sequence numbers: none of these may be assigned again.
        try Tombstone.note(erasedUpTo: try self.context.lastSequence(), in: self.context.store)
        try await self.context.disk.syncTogether()
        try self.context.store.remove(StateKey.tombstone(tombstone.id))
        let resends = await self.managers.events.finishForgetting(mpid)
        self.context.ingress.wakeup.signal()
        return Report(findings: records.findings, events: erasure.live + resends, batchesAbandoned: abandoned)
    }

    /// Writes the erasure's record; the erasure stands from here on.
    private func writeTombstone(_ mpid: MPID, _ new: Tombstone) async throws(SignetError) -> Tombstone {
        _ = try self.context.lastSequence()
        // An unfinished one continues, and now covers everything up to this call.
        var tombstone = try await self.tombstone(of: mpid) ?? new
        tombstone.reach = .max
        try self.context.store.put(tombstone.encoded(), for: StateKey.tombstone(tombstone.id))
        try await self.context.disk.syncTogether()
        return tombstone
    }

    /// Waits for batches of a user that are on the wire.
    ///
    /// - Returns: The number of batches without an answer by then; they are abandoned.
    private func awaitAnswers(_ mpid: MPID, until deadline: Duration) async -> Int {
        let time = self.context.configuration.time
        guard let answers = await self.managers.events.answers(of: mpid) else { return 0 }
        let isAnswered: Bool? = await withTimeLimit(deadline - time.uptime, on: time) {
            await answers.value().map { true }
        }
        return isAnswered == true ? 0 : await self.managers.events.abandonBatches(of: mpid)
    }
}
