//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
public import SignetModel

extension SignetRuntime {
    /// Erases a user: all of their data in this directory, on all installations, open or not.
    ///
    /// **Order:** a record of the erasure is written and flushed first, without the MPID. From then on no batch with an
    /// event of theirs is made or sent again. If the process dies, the next start finishes the erasure before it sends
    /// or logs anything. When `eraseUser` returns, no file of the directory has a byte of their events, identities and
    /// attributes, or the MPID.
    ///
    /// **Current user:** an installation where the user is current has no user afterwards: ``UserChange/current`` is
    /// nil, and later events belong to the next user. Later data of the user is new: a login that brings them back,
    /// also one in flight, makes a new user. Until this returns, a user who comes back is erased again.
    ///
    /// The identities of the device (push token, advertising ids) and the address are removed too, unless another user
    /// is current: set them again for the next user.
    ///
    /// **Not erased:** data of the device (device application stamp, model, user agent) or of the app (installation
    /// ids, details of other users' events); the platform's data, which the platform itself must delete; bytes in free
    /// blocks of a medium or in a backup.
    ///
    /// **Damage:** everything that was set aside as damaged is removed, also the remains of other users' data. Half a
    /// record may hold half an identity whose user is unknown. The Infobip profile of an installation with a damaged
    /// identity record is removed too, because it may be theirs. Look at such files first, if they matter.
    ///
    /// It works with and without `run()`. It reads the whole directory and rewrites part of it, on a thread of the
    /// global pool, never on the caller's executor. Several erasures run one after the other. Another call finishes an
    /// erasure that an error cut short, and so does `run()`, once a minute (``SignetObserver/erasureFailed(_:)``).
    /// After cancellation it finishes all the same, without waiting for answers.
    ///
    /// - Parameters:
    ///   - mpid: The user's MPID.
    ///   - limit: The time to wait for answers to the user's batches that are on the wire.
    /// - Returns: The data that was found; see ``ErasureReport/isEmpty``.
    /// - Throws: `diskFull`, `diskFailed`, `newerFormat`: the erasure stands if its record was written, and is finished
    ///   by `run()`, the next call or the next start; `notRunning` after the end of the runtime.
    @discardableResult
    public func eraseUser(
        _ mpid: MPID,
        within limit: Duration = .seconds(10)
    ) async throws(SignetError) -> ErasureReport {
        await self.erasures.enter()
        let result: Result<ErasureReport, SignetError>
        do throws(SignetError) {
            result = .success(try await self.erase(mpid, within: limit))
            await self.erasures.finished(mpid)
        } catch {
            result = .failure(error)
            await self.noteUnfinished(mpid, error)
        }
        await self.erasures.leave()
        return try result.get()
    }

    /// Retries erasures that a disk error has cut short in this process.
    func finishErasures() async {
        for mpid in await self.erasures.unfinished {
            // The call itself reports the error; the erasure stays for the next time.
            do throws(SignetError) { try await self.eraseUser(mpid) } catch { continue }
        }
    }

    private func noteUnfinished(_ mpid: MPID, _ error: SignetError) async {
        // Not retried: an error that only a newer version can fix, and any error after the end.
        guard error.code == .diskFull || error.code == .diskFailed else { return }
        let stands: Bool
        do throws(SignetError) {
            stands = try Tombstone.stored(in: self.services.store).contains { $0.names(mpid) }
        } catch {
            // Unknown; another try does no harm.
            stands = true
        }
        guard stands, await self.erasures.failed(mpid, error) else { return }
        self.services.observer.erasureFailed(error)
    }

    /// Erases a user; it reads and writes the whole directory, so it never runs on the caller's executor.
    @concurrent
    private func erase(_ mpid: MPID, within limit: Duration) async throws(SignetError) -> ErasureReport {
        guard self.lifecycle.acceptsCalls else { throw .notRunning }
        let time = self.configuration.time
        let deadline = time.uptime + limit
        var tombstone = try await self.writeTombstone(mpid)
        try await self.events.forget(mpid)
        await self.services.aliases.forget(mpid)
        // Events of this user are logged under an installation's lock, and no longer once it has forgotten the user.
        var records = RecordErasure([tombstone], self.services.ownContexts)
        try await self.forgetIdentities(mpid, &records)
        tombstone.reach = try self.services.lastSequence()
        try self.services.store.put(tombstone.encoded(), for: StateKey.tombstone(tombstone.id))
        await self.events.limitForgetting(mpid, to: tombstone.reach)
        let abandoned = await self.awaitAnswers(mpid, until: deadline)
        let known = records.findings.installations
        records = RecordErasure([tombstone], self.services.ownContexts)
        let present = { Set(self.registry.all.map(\.identityState.number)) }
        try await records.eraseAll(upTo: tombstone.reach, now: time.milliseconds, besides: present) {
            erasure throws(SignetError) in
            try await self.forgetIdentities(mpid, &erasure)
            erasure = try await self.events.erase(erasure)
        }
        let (deadLetters, ofInfobip) = (records.findings.deadLetteredEvents, records.findings.infobipEvents)
        self.services.statistics.record { statistics in
            statistics.eventsDiscarded += deadLetters
            statistics.infobipEventsDropped += ofInfobip
        }
        records.findings.installations += known
        var frames = try FrameErasure(records.subjects, records.findings, self.services.store)
        let erasure = try frames.erase(self.services.journal) { self.events.services.dropped($0, .forgotten) }
        records.findings.damagedCopies += erasure.copies
        try records.eraseContexts(now: time.uptime) { used throws(SignetError) in
            try self.services.noteLoggedContexts(&used)
        }
        // Events before the first user are attributed by their sequence numbers: none of these may be assigned again.
        try Tombstone.note(erasedUpTo: try self.services.lastSequence(), in: self.services.store)
        try await self.disk.syncTogether()
        try self.services.store.remove(StateKey.tombstone(tombstone.id))
        let resends = await self.events.finishForgetting(mpid)
        self.services.ingress.wakeup.signal()
        return ErasureReport(records.findings, events: erasure.live + resends, batchesAbandoned: abandoned)
    }

    /// Writes the erasure's record; the erasure stands from here on.
    private func writeTombstone(_ mpid: MPID) async throws(SignetError) -> Tombstone {
        _ = try self.services.lastSequence()
        // An unfinished one continues, and now covers everything up to this call.
        var tombstone = try Tombstone.stored(in: self.services.store).first { $0.names(mpid) } ?? Tombstone(of: mpid)
        tombstone.reach = .max
        try self.services.store.put(tombstone.encoded(), for: StateKey.tombstone(tombstone.id))
        try await self.disk.syncTogether()
        return tombstone
    }

    /// Removes a user from every installation, in memory and on disk.
    private func forgetIdentities(_ mpid: MPID, _ records: inout RecordErasure) async throws(SignetError) {
        for core in self.registry.all { try await self.forget(mpid, core, &records.findings) }
        for key in try self.services.store.keys(withPrefix: StateKey.identities) {
            let id = InstallationID(String(decoding: key.dropFirst(StateKey.identities.count), as: UTF8.self))
            var isDone = false
            try await self.forgetIterable(of: mpid, id, key)
            try await self.forgetInfobip(of: mpid, id, key)
            while !isDone {
                var erasure = records
                let core = try self.registry.unlessPresent(id) { () throws(SignetError) in
                    let (sequence, now) = (try self.services.lastSequence(), self.configuration.time.milliseconds)
                    // The user's events of an open session are counted in its record before they are removed.
                    if self.services.store.contains(StateKey.session(id)), let number = try erasure.number(in: key) {
                        try self.services.sessionRecovery.forget(number) { erasure.subjects.contains($0) }
                    }
                    try erasure.erase(StateKey.session(id), .session, upTo: sequence, now: now)
                    if let number = try erasure.number(in: key) {
                        let departed = StateKey.departedConsents(number)
                        try erasure.erase(departed, .departedConsents, upTo: sequence, now: now)
                    }
                    try erasure.erase(key, .identity, upTo: sequence, now: now)
                }
                records = erasure
                guard let core else { break }
                isDone = try await self.forget(mpid, core, &records.findings)
                // A damaged record must not give way to the one before it.
                if isDone { isDone = try self.confirm([key, StateKey.session(id)], core, &records.findings) }
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
        _ findings: inout ErasureFindings
    ) async throws(SignetError) -> Bool {
        let isCurrent = core.identityState.directory.current == mpid
        try core.forgetLinked(mpid, all: isCurrent)
        if isCurrent {
            try await self.forgetIterable(of: core.id)
            try await self.forgetInfobip(of: core)
        } else {
            try await self.forgetLeftInfobip(of: mpid, core)
        }
        if !isCurrent, self.services.iterable != nil,
            IterableStore(self.services.store, installation: core.identityState.number).isThere
        {
            try await core.iterableManager().forget(mpid)
        }
        guard let (before, now) = try await core.identity.forget(mpid) else { return false }
        if before.directory.mentioned.contains(mpid) { findings.installations += 1 }
        findings.note(now)
        return true
    }

    /// Removes the Iterable records of an installation, before the user by whom they are found.
    private func forgetIterable(of id: InstallationID) async throws(SignetError) {
        let manager =
            if let known = self.services.iterable?.managers.find(id) { known } else {
                self.services.iterable == nil ? nil : try self.registry.find(id)?.iterableManager()
            }
        try await manager?.forget()
        if manager == nil, let number = self.registry.find(id)?.identityState.number {
            try IterableStore(self.services.store, installation: number).removeAll()
        }
    }

    /// Removes a user from a visitor that has work while the rest of the installation is not in memory.
    private func forgetIterable(of mpid: MPID, _ id: InstallationID, _ key: [UInt8]) async throws(SignetError) {
        guard let manager = self.services.iterable?.managers.find(id), self.registry.find(id) == nil else { return }
        do throws(SignetError) {
            guard let value = try self.services.store.value(for: key),
                try IdentityState(decoding: value).directory.current == mpid
            else { return try await manager.forget(mpid) }
        } catch {
            // Handled when the record is changed.
            return
        }
        try await manager.forget()
    }

    /// Removes the Infobip person with the installation's current user.
    private func forgetInfobip(of core: InstallationCore) async throws(SignetError) {
        if self.services.infobip != nil, core.infobipStore.isThere { try await core.infobipManager().forget() }
        try core.infobipStore.removeAll()
    }

    /// Removes unsent Infobip data of an earlier user of the installation.
    private func forgetLeftInfobip(of mpid: MPID, _ core: InstallationCore) async throws(SignetError) {
        let state = core.identityState
        guard state.directory.mentioned.contains(mpid), core.infobipStore.isThere else { return }
        try await self.forgetLeftInfobip(
            state.number,
            self.services.infobip == nil ? nil : try core.infobipManager()
        )
    }

    private func forgetLeftInfobip(_ number: UInt32, _ manager: InfobipManager?) async throws(SignetError) {
        if let manager { return try await manager.forgetLeft() }
        let store = InfobipStore(self.services.store, installation: number, persistsUser: true)
        let count = try store.forgetLeft { self.services.reportDamage($0) }
        if count > 0 { self.services.statistics.record { $0.infobipEventsDropped += count } }
    }

    /// Removes Infobip data of an installation that is not in memory.
    private func forgetInfobip(of mpid: MPID, _ id: InstallationID, _ key: [UInt8]) async throws(SignetError) {
        guard self.registry.find(id) == nil else { return }
        let state: IdentityState
        do throws(SignetError) {
            guard let value = try self.services.store.value(for: key) else { return }
            state = try IdentityState(decoding: value)
        } catch {
            // It may be theirs; the record itself is handled when it is changed.
            guard error.code != .newerFormat else { return }
            try await self.services.infobip?.managers.find(id)?.forget()
            return
        }
        guard state.directory.current == mpid else {
            guard state.directory.mentioned.contains(mpid) else { return }
            return try await self.forgetLeftInfobip(state.number, self.services.infobip?.managers.find(id))
        }
        try await self.services.infobip?.managers.find(id)?.forget()
        let profile = InfobipStore(self.services.store, installation: state.number, persistsUser: true)
        let count = try profile.removeAll()
        self.services.statistics.record { $0.infobipEventsDropped += count }
    }

    private func confirm(
        _ keys: [[UInt8]],
        _ core: InstallationCore,
        _ findings: inout ErasureFindings
    ) throws(SignetError) -> Bool {
        do throws(SignetError) {
            for key in keys { _ = try self.services.store.value(for: key) }
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
        let time = self.configuration.time
        guard let answers = await self.events.answers(of: mpid) else { return 0 }
        let isAnswered: Bool? = await withTimeLimit(deadline - time.uptime, on: time) {
            await answers.value().map { true }
        }
        return isAnswered == true ? 0 : await self.events.abandonBatches(of: mpid)
    }
}
