// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// Erases users from the whole directory: on all installations, open or not.
///
/// `SignetRuntime.eraseUser(_:within:)` says in which order, and what stays.
struct UserErasure: Sendable {
    /// The findings of an erasure.
    struct Report: Sendable {
        let findings: ErasureFindings
        /// The number of events that were not delivered and never will be.
        let events: Int
        /// The number of batches in flight that had no answer in time.
        let batchesAbandoned: Int
    }

    private let context: RuntimeContext
    private let managers: RuntimeManagers
    private let registry: InstallationRegistry
    /// Lets one erasure go on at a time.
    let lock = ErasureLock()

    init(_ context: RuntimeContext, _ managers: RuntimeManagers, _ registry: InstallationRegistry) {
        (self.context, self.managers, self.registry) = (context, managers, registry)
    }

    /// Erases a user, in turn.
    ///
    /// - Parameters:
    ///   - mpid: The user's MPID.
    ///   - limit: The time to wait for answers to the user's batches that are on the wire.
    /// - Returns: What was erased, and what is left.
    /// - Throws: `SignetError` of the disk; the erasure is tried again.
    func erase(_ mpid: MPID, within limit: Duration) async throws(SignetError) -> Report {
        await self.lock.acquire()
        let result: Result<Report, SignetError>
        do throws(SignetError) {
            result = .success(try await self.eraseNow(mpid, within: limit))
            await self.lock.finished(mpid)
        } catch {
            result = .failure(error)
            await self.noteUnfinished(mpid, error)
        }
        await self.lock.release()
        return try result.get()
    }

    /// Does something in the turn of an erasure, while no erasure is under way.
    func between(_ body: () -> Void) async {
        await self.lock.acquire()
        body()
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
        guard self.stands(mpid), await self.lock.failed(mpid, error) else { return }
        self.context.observer.erasureFailed(error)
    }

    private func stands(_ mpid: MPID) -> Bool {
        do throws(SignetError) {
            return try Tombstone.stored(in: self.context.store).contains { $0.names(mpid) }
        } catch {
            // Unknown; another try does no harm.
            return true
        }
    }

    /// Erases a user; it reads and writes the whole directory, so it never runs on the caller's executor.
    @concurrent
    private func eraseNow(_ mpid: MPID, within limit: Duration) async throws(SignetError) -> Report {
        guard self.context.lifecycle.acceptsCalls else { throw .notRunning }
        let time = self.context.configuration.time
        let deadline = time.uptime + limit
        var tombstone = try await self.writeTombstone(mpid)
        try await self.managers.events.forget(mpid)
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
        let present = { Set(self.registry.all.map(\.identityState.number)) }
        try await records.eraseAll(upTo: tombstone.reach, now: time.milliseconds, besides: present) {
            erasure throws(SignetError) in
            try await self.forgetIdentities(mpid, &erasure)
            erasure = try await self.managers.events.erase(erasure)
        }
        records.findings.installations += before.installations
        let deadLetters = records.findings.deadLetteredEvents
        self.context.statistics.record { $0.eventsDiscarded += deadLetters }
        var frames = try FrameErasure(records.subjects, records.findings, self.context.store)
        let erasure = try frames.erase(self.context.journal) { self.context.dropped($0, .forgotten) }
        records.findings.damagedCopies += erasure.copies
        try records.eraseContexts(now: time.uptime) { used throws(SignetError) in
            try self.context.noteLoggedContexts(&used)
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
    private func writeTombstone(_ mpid: MPID) async throws(SignetError) -> Tombstone {
        _ = try self.context.lastSequence()
        // An unfinished one continues, and now covers everything up to this call.
        var tombstone = try Tombstone.stored(in: self.context.store).first { $0.names(mpid) } ?? Tombstone(of: mpid)
        tombstone.reach = .max
        try self.context.store.put(tombstone.encoded(), for: StateKey.tombstone(tombstone.id))
        try await self.context.disk.syncTogether()
        return tombstone
    }

    /// Removes a user from every installation, in memory and on disk.
    private func forgetIdentities(_ mpid: MPID, _ records: inout RecordErasure) async throws(SignetError) {
        for core in self.registry.all { try await self.forget(mpid, core, &records) }
        for key in try self.context.store.keys(withPrefix: StateKey.identities) {
            let id = InstallationID(String(decoding: key.dropFirst(StateKey.identities.count), as: UTF8.self))
            try await self.forgetInServices(of: mpid, id, key)
            while true {
                var erasure = records
                let core: InstallationCore?
                do throws(SignetError) {
                    core = try self.registry.unlessPresent(id) { () throws(SignetError) in
                        let (sequence, now) = (
                            try self.context.lastSequence(), self.context.configuration.time.milliseconds
                        )
                        // The user's events of an open session are counted in its record before they are removed.
                        if self.context.store.contains(StateKey.session(id)), let number = try erasure.number(in: key) {
                            try self.context.sessionRecovery.forget(number) { erasure.subjects.contains($0) }
                        }
                        try erasure.erase(StateKey.session(id), .session, upTo: sequence, now: now)
                        if let number = try erasure.number(in: key) {
                            let departed = StateKey.departedConsents(number)
                            try erasure.erase(departed, .departedConsents, upTo: sequence, now: now)
                        }
                        try erasure.erase(key, .identity, upTo: sequence, now: now)
                    }
                } catch {
                    records = erasure
                    throw error
                }
                records = erasure
                guard let core else { break }
                guard try await self.forget(mpid, core, &records) else { continue }
                // A damaged record must not give way to the one before it.
                if try self.confirm([key, StateKey.session(id)], core, &records.findings) { break }
            }
        }
    }

    /// Removes a user from an installation that is in memory.
    ///
    /// - Returns: True if the object was still that of its installation.
    @discardableResult
    private func forget(
        _ mpid: MPID,
        _ core: InstallationCore,
        _ records: inout RecordErasure
    ) async throws(SignetError) -> Bool {
        let isCurrent = core.identityState.directory.current == mpid
        try core.eraseFromOutbox(mpid, all: isCurrent)
        let isMentioned = core.mentions(mpid)
        for service in self.managers.linked.all { try await service.erase(mpid, in: core, isCurrent: isCurrent) }
        try records.eraseOtherServices(of: core.number, knowsSubject: isCurrent || isMentioned)
        guard let (before, now) = try core.forget(mpid) else { return false }
        if before.directory.mentioned.contains(mpid) { records.findings.installations += 1 }
        records.findings.note(now)
        return true
    }

    /// Removes a user from the services of an installation that is not in memory, but has work there.
    private func forgetInServices(
        of mpid: MPID,
        _ id: InstallationID,
        _ key: [UInt8]
    ) async throws(SignetError) {
        guard self.registry.find(id) == nil else { return }
        let state: IdentityState?
        do throws(SignetError) {
            state = try self.context.store.value(for: key).map { value throws(SignetError) in
                try IdentityState(decoding: value)
            }
        } catch {
            // The record itself is handled when it is changed. A later version's is readable, but not here.
            guard error.code != .newerFormat else { return }
            for service in self.managers.linked.all { try await service.erase(mpid, of: id, .unreadable) }
            return
        }
        for service in self.managers.linked.all {
            guard let state else {
                try await service.erase(mpid, of: id, .gone)
                continue
            }
            let installation = AbsentInstallation.stored(
                records: ServiceRecords(self.context.store, of: service.definition, installation: state.number),
                isCurrent: state.directory.current == mpid,
                isMentioned: state.directory.mentioned.contains(mpid)
            )
            try await service.erase(mpid, of: id, installation)
        }
    }

    private func confirm(
        _ keys: [[UInt8]],
        _ core: InstallationCore,
        _ findings: inout ErasureFindings
    ) throws(SignetError) -> Bool {
        do throws(SignetError) {
            for key in keys { _ = try self.context.store.value(for: key) }
            return true
        } catch {
            guard error.isDamage else { throw error }
            findings.damagedCopies += 1
            return try core.writeDown()
        }
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
