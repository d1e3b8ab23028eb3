// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

// Erasures over the rows of a shared store, and those that other replicas have noted.
extension UserErasure {
    /// Erases a user from the rows and from this replica's disk.
    ///
    /// **Order:** the record in this directory, the erasure in the store, the rows, "rows done" in the store, this directory, the
    /// acknowledgement. Each step may be repeated. After a kill the next start finds the record; without a next start another replica
    /// finds an erasure whose rows are not done.
    ///
    /// - Returns: The findings, and the erasure's id.
    func eraseEverywhere(
        _ mpid: MPID,
        _ shared: SharedStores,
        within limit: Duration
    ) async throws(SignetError) -> (Report, erasure: UUID) {
        guard self.context.lifecycle.acceptsCalls else { throw .hasEnded }
        let fleet = shared.fleet
        var (tombstone, covered) = try await self.noteEverywhere(mpid, fleet)
        let rows = try await self.forgetRows(of: mpid, shared)
        try await fleet.finishRows(of: tombstone.id)
        tombstone.isSpreading = false
        var report = try await self.eraseNow(mpid, tombstone, within: limit)
        report.findings.installations = rows
        fleet.carriedOut(tombstone.id, .complete)
        if let covered {
            // Acknowledged with those that wait for this replica.
            fleet.carriedOut(covered, .complete)
            try self.context.store.remove(StateKey.tombstone(covered))
        }
        do throws(SignetError) {
            try await fleet.acknowledge(tombstone.id)
        } catch {
            // The record is gone; the erasure waits for this replica in the store.
            throw .erasureNoted(error)
        }
        return (report, tombstone.id)
    }

    /// Writes the record of an erasure in this directory, and then in the store: from there on no replica makes a batch of an event of the
    /// user.
    ///
    /// - Returns: The record, and the id of an earlier erasure of the user that this one covers.
    private func noteEverywhere(
        _ mpid: MPID,
        _ fleet: FleetMember
    ) async throws(SignetError) -> (Tombstone, covered: UUID?) {
        let new = Tombstone(spreading: mpid, workspace: fleet.workspace)
        let tombstone = try await self.writeTombstone(mpid, new)
        try await fleet.note(tombstone)
        // Another replica may have finished the unfinished one meanwhile: it is acknowledged, and the user may have come back since.
        guard tombstone.id != new.id, try await fleet.areRowsDone(of: tombstone) else { return (tombstone, nil) }
        _ = try await self.writeTombstone(mpid, new, goesOn: false)
        try await fleet.note(new)
        return (new, tombstone.id)
    }

    /// Waits for the other replicas to erase on their disks.
    ///
    /// - Returns: The number of live replicas that have not by then; the last known one if the store is away.
    func awaitReplicas(_ erasure: UUID, until deadline: Duration) async -> Int {
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

    // MARK: - Rows

    /// Forgets a user in all rows that mention them.
    ///
    /// - Returns: The number of these rows.
    private func forgetRows(of mpid: MPID, _ shared: SharedStores) async throws(SignetError) -> Int {
        // Before the rows, so that a kill leaves none that no row leads to. Again after them, as an answer may have
        // come meanwhile.
        try await shared.fleet.removeConsent(of: mpid)
        var last: UUID?
        var count = 0
        while true {
            let keys = try await shared.fleet.mentions(of: mpid, after: last)
            guard !keys.isEmpty else {
                try await shared.fleet.removeConsent(of: mpid)
                return count
            }
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

    /// Takes the user of an erasure out of the rows that still know them, and notes that it is done.
    func finishRows(of erasure: SharedErasure, _ shared: SharedStores) async throws(SignetError) {
        let tombstone = shared.fleet.tombstone(of: erasure)
        if let mpid = try await self.find(tombstone, shared) { _ = try await self.forgetRows(of: mpid, shared) }
        try await shared.fleet.finishRows(of: erasure.id)
    }

    /// The user of an erasure among those whom this process or a row knows; nil if none does.
    private func find(_ tombstone: Tombstone, _ shared: SharedStores) async throws(SignetError) -> MPID? {
        if let known = await self.knownUser(of: tombstone) { return known }
        var last: MPID?
        while true {
            let page = try await shared.fleet.mentionedUsers(after: last)
            if let found = page.first(where: { tombstone.names($0) }) { return found }
            guard page.count == SharedStoreLimits.users else { return nil }
            last = page.last
        }
    }

    // MARK: - Identities that wait for an identify

    /// The number of rows that are read together.
    private static let portion = 64

    /// Removes the identities that apps wanted to identify visitors with whom a row knows by now, or knew.
    ///
    /// They may be those of the erased user: this directory knows no user of theirs, and a row that has forgotten the user still says that
    /// there was one.
    func forgetIdentifies(_ shared: SharedStores) async throws(SignetError) {
        var rest = self.context.numbers.numbersWithIdentities[...]
        while !rest.isEmpty {
            let portion = rest.prefix(Self.portion)
            rest = rest.dropFirst(portion.count)
            let keys = portion.map { SharedIDs.key(of: Array($0.record.id.rawValue.utf8)) }
            let rows = try await shared.fleet.read(Array(Set(keys)))
            for ((number, record), key) in zip(portion, keys) {
                try await self.forgetIdentify(of: number, record, rows.row(key), shared)
            }
        }
    }

    private func forgetIdentify(
        of number: UInt32,
        _ record: NumberRecord,
        _ reading: FleetMember.Answer<SharedInstallation?>,
        _ shared: SharedStores
    ) async throws(SignetError) {
        let isOfRow = self.context.numbers.number(of: record.id) == number
        guard isOfRow, reading.value != nil || record.stamp == nil else {
            return try self.context.numbers.forgetIdentify(of: number)
        }
        if let row = reading.value {
            do throws(SignetError) {
                _ = try SharedState(decoding: row.state)
            } catch {
                // Nothing says whose they are.
                return try self.context.numbers.forgetIdentify(of: number)
            }
        }
        let store = shared.store(of: record.id)
        if try !store.take(reading) { try await store.refresh() }
    }

    // MARK: - The erasures of the store

    /// Tells the store again of the erasures that this directory has begun and not spread over all rows.
    ///
    /// Afterwards they are among those that wait for this replica.
    func noteAgain(in fleet: FleetMember) async throws(SignetError) {
        let store = self.context.store
        let stored = try await self.context.disk.perform { () throws(SignetError) in try Tombstone.stored(in: store) }
        for tombstone in stored where tombstone.isSpreading { try await fleet.note(tombstone) }
    }

    /// Erases on this replica's disk the user of an erasure.
    ///
    /// - Throws: `SignetError`; the next call tries again.
    func eraseHere(_ erasure: SharedErasure, in fleet: FleetMember) async throws(SignetError) {
        await self.lock.acquire()
        let result: Result<Void, SignetError>
        do throws(SignetError) {
            try await self.eraseHereInTurn(erasure, in: fleet)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await self.lock.release()
        try result.get()
    }

    private func eraseHereInTurn(_ erasure: SharedErasure, in fleet: FleetMember) async throws(SignetError) {
        let stage: ErasureStage = erasure.areRowsDone ? .complete : .early
        // Carried out meanwhile, in a turn before this one.
        if let done = fleet.stage(of: erasure.id), done == .complete || done == stage { return }
        // Acknowledged once, and the store has lost that: the user may have come back since.
        guard !fleet.hasCarriedOut(erasure.id) else { return fleet.carriedOut(erasure.id, .complete) }
        var tombstone = fleet.tombstone(of: erasure)
        tombstone.isSpreading = stage == .early && erasure.replica == fleet.replica
        // A directory that was made later has nothing to erase.
        if !fleet.precedes(erasure) {
            if let mpid = await self.knownUser(of: tombstone) {
                _ = try await self.eraseNow(mpid, tombstone, within: .seconds(10))
            } else {
                try await self.eraseFiles(of: tombstone)
            }
        }
        fleet.carriedOut(erasure.id, stage)
    }

    /// Acknowledges an erasure whose rows are done, and that this replica has carried out.
    func finish(_ erasure: SharedErasure, in fleet: FleetMember) async throws(SignetError) {
        try await fleet.acknowledge(erasure.id)
        // That of an earlier process, or of a call that was cut short. In turn: a call may be about to go on with it.
        await self.lock.acquire()
        let result = Result { () throws(SignetError) in
            try self.context.store.remove(StateKey.tombstone(erasure.id))
        }
        if case .success = result {
            let tombstone = fleet.tombstone(of: erasure)
            for mpid in await self.lock.unfinished where tombstone.names(mpid) { await self.lock.finished(mpid) }
        }
        await self.lock.release()
        try result.get()
    }

    /// The user of an erasure among those whom this process knows: the erasure does not say who it is.
    private func knownUser(of tombstone: Tombstone) async -> MPID? {
        var known = await self.managers.events.users
        known.formUnion(await self.managers.aliases.knownUsers)
        known.formUnion(await self.lock.unfinished)
        for core in self.registry.all { known.formUnion(core.identityState.directory.mentioned) }
        return known.first { tombstone.names($0) }
    }
}

extension FleetMember.Answer<[SharedInstallation]> {
    /// The same answer about one of the rows; nil if there is none.
    fileprivate func row(_ key: UUID) -> FleetMember.Answer<SharedInstallation?> {
        FleetMember.Answer(
            value: self.value.first { $0.key == key },
            milliseconds: self.milliseconds,
            sent: self.sent,
            received: self.received
        )
    }
}
