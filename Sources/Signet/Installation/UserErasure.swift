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
    let shared: SharedStores?
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
    /// - Throws: `SignetError` of the disk or of the store; the erasure is tried again.
    func erase(_ mpid: MPID, within limit: Duration) async throws(SignetError) -> Report {
        let deadline = self.context.configuration.time.uptime + limit
        await self.lock.acquire()
        return try await self.eraseInTurn(mpid, within: limit, until: deadline)
    }

    /// Erases a user in this call's turn, and ends the turn.
    private func eraseInTurn(
        _ mpid: MPID,
        within limit: Duration,
        until deadline: Duration
    ) async throws(SignetError) -> Report {
        let result: Result<Report, SignetError>
        var noted: UUID?
        do throws(SignetError) {
            if let shared = self.shared {
                let (report, erasure) = try await self.eraseEverywhere(mpid, shared, within: limit)
                (result, noted) = (.success(report), erasure)
            } else {
                result = .success(try await self.eraseNow(mpid, Tombstone(of: mpid), within: limit))
            }
            await self.lock.finished(mpid)
        } catch {
            result = .failure(await self.noteUnfinished(mpid, error))
        }
        await self.lock.release()
        var report = try result.get()
        // Not in the turn: the other replica may be waiting for this one.
        if let noted { report.replicasLeft = await self.awaitReplicas(noted, until: deadline) }
        return report
    }

    /// Does something in the turn of an erasure; nothing if an erasure is under way.
    func between(_ body: () async -> Void) async {
        guard await self.lock.acquireIfFree() else { return }
        await body()
        await self.lock.release()
    }

    /// Retries erasures that an error of the disk or of the store has cut short in this process.
    func finishErasures() async {
        for mpid in await self.lock.unfinished {
            await self.lock.acquire()
            // Finished meanwhile: the user may have come back since.
            guard await self.lock.unfinished.contains(mpid) else {
                await self.lock.release()
                continue
            }
            let limit = Duration.seconds(10)
            let deadline = self.context.configuration.time.uptime + limit
            // The call itself reports the error; the erasure stays for the next time.
            do throws(SignetError) {
                _ = try await self.eraseInTurn(mpid, within: limit, until: deadline)
            } catch {
                continue
            }
        }
    }

    /// Takes in that an erasure was cut short.
    ///
    /// - Returns: The error for the caller.
    private func noteUnfinished(_ mpid: MPID, _ error: SignetError) async -> SignetError {
        switch error.code {
        case .diskFull, .diskFailed:
            guard await self.stands(mpid) else { return error }
        case .storeUnreachable, .storeBusy, .outcomeUnknown, .storeFailed, .cancelled:
            guard self.shared != nil, await self.stands(mpid) else { return error }
        // Not retried: an error that only a newer version can fix, and any error after the end.
        default: return error
        }
        if await self.lock.failed(mpid, error), error.code != .cancelled { self.context.observer.erasureFailed(error) }
        return .erasureNoted(error)
    }

    private func stands(_ mpid: MPID) async -> Bool {
        do throws(SignetError) {
            return try await self.tombstone(of: mpid) != nil
        } catch {
            // Unknown; another try does no harm.
            return true
        }
    }

    /// The record of an erasure that is not finished; if there are several, that with an id.
    private func tombstone(of mpid: MPID, preferring id: UUID? = nil) async throws(SignetError) -> Tombstone? {
        let store = self.context.store
        return try await self.context.disk.perform { () throws(SignetError) in
            let stored = try Tombstone.stored(in: store).filter { $0.names(mpid) }
            return stored.first { $0.id == id } ?? stored.first
        }
    }

    // MARK: - In this directory

    /// Removes from the files what is left of a user whom this process does not know: delivered events, and records.
    ///
    /// It reads and writes the whole directory, on the disk's own thread.
    @concurrent
    func eraseFiles(of tombstone: Tombstone) async throws(SignetError) {
        guard self.context.lifecycle.acceptsCalls else { throw .hasEnded }
        var records = RecordErasure([tombstone], self.context.ownContexts, self.managers.linked.stored)
        let last = try self.context.lastSequence()
        try await self.eraseRecords(&records, upTo: last) { erasure throws(SignetError) in
            erasure = try await self.managers.events.erase(erasure)
        }
        _ = try await self.eraseFrames(records)
        try await self.context.disk.syncTogether()
    }

    private func eraseRecords(
        _ records: inout RecordErasure,
        upTo last: UInt64,
        others: (inout RecordErasure) async throws(SignetError) -> Void
    ) async throws(SignetError) {
        if let shared = self.shared { try await self.forgetIdentifies(shared) }
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
    ///
    /// The record of an erasure that is still spreading over rows stays.
    @concurrent
    func eraseNow(
        _ mpid: MPID,
        _ new: Tombstone,
        within limit: Duration
    ) async throws(SignetError) -> Report {
        guard self.context.lifecycle.acceptsCalls else { throw .hasEnded }
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
        self.context.consents?.forgetInMemory(mpid)
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
        if !tombstone.isSpreading { try self.context.store.remove(StateKey.tombstone(tombstone.id)) }
        let resends = await self.managers.events.finishForgetting(mpid)
        self.context.ingress.wakeup.signal()
        return Report(findings: records.findings, events: erasure.live + resends, batchesAbandoned: abandoned)
    }

    /// Writes the erasure's record; the erasure stands from here on.
    ///
    /// - Parameters:
    ///   - mpid: The user.
    ///   - new: The record, unless an unfinished one goes on.
    ///   - goesOn: False if `new` is another erasure than the unfinished one.
    /// - Returns: The record that was written.
    /// - Throws: `SignetError` from the disk.
    func writeTombstone(
        _ mpid: MPID,
        _ new: Tombstone,
        goesOn: Bool = true
    ) async throws(SignetError) -> Tombstone {
        _ = try self.context.lastSequence()
        // An unfinished one continues, and now covers everything up to this call.
        var tombstone = goesOn ? try await self.tombstone(of: mpid, preferring: new.id) ?? new : new
        // Only what ends its own spreading ends it.
        tombstone.isSpreading = new.isSpreading || tombstone.id != new.id && tombstone.isSpreading
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
