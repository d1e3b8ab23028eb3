// SPDX-License-Identifier: Apache-2.0

import SignetModel

// The installations of this directory, one after another.
extension UserErasure {
    /// Removes a user from every installation, in memory and on disk.
    func forgetIdentities(_ mpid: MPID, _ records: inout RecordErasure) async throws(SignetError) {
        for core in self.registry.all { try await self.forget(mpid, core, &records) }
        let store = self.context.store
        let keys = try await self.context.disk.perform { () throws(SignetError) in
            try store.keys(withPrefix: StateKey.identities)
        }
        for key in keys {
            let id = InstallationID(String(decoding: key.dropFirst(StateKey.identities.count), as: UTF8.self))
            try await self.forgetInServices(of: mpid, id, key)
            while true {
                let core = try await records.perform(on: self.context.disk) { erasure throws(SignetError) in
                    // First without the registry's lock, as it may read the whole journal.
                    let reading = try self.readSession(id, key, erasure)
                    // Nobody opens the installation meanwhile: the registry's lock is held on the disk's own thread.
                    return try self.registry.unlessPresent(id) { () throws(SignetError) in
                        try self.eraseAbsent(id, key, reading, &erasure)
                    }
                }
                guard let core else { break }
                guard try await self.forget(mpid, core, &records) else { continue }
                // A damaged record must not give way to the one before it.
                if try self.confirm([key, StateKey.session(id)], core, &records.findings) { break }
            }
        }
    }

    /// Reads the journal's events of the session of an installation that is not in memory.
    private func readSession(
        _ id: InstallationID,
        _ key: [UInt8],
        _ erasure: RecordErasure
    ) throws(SignetError) -> SessionRecovery.Reading? {
        guard self.registry.find(id) == nil, self.context.store.contains(StateKey.session(id)),
            let number = try erasure.number(in: key)
        else { return nil }
        return try self.context.sessionRecovery.readAhead(number)
    }

    /// Removes the user from the records of an installation that is not in memory.
    private func eraseAbsent(
        _ id: InstallationID,
        _ key: [UInt8],
        _ reading: SessionRecovery.Reading?,
        _ erasure: inout RecordErasure
    ) throws(SignetError) {
        let (sequence, now) = (try self.context.lastSequence(), self.context.configuration.time.milliseconds)
        // The user's events of an open session are counted in its record before they are removed.
        if self.context.store.contains(StateKey.session(id)), let number = try erasure.number(in: key) {
            try self.context.sessionRecovery.forget(number, reading) { erasure.subjects.contains($0) }
        }
        try erasure.erase(StateKey.session(id), .session, upTo: sequence, now: now)
        if let number = try erasure.number(in: key) {
            let departed = StateKey.departedConsents(number)
            try erasure.erase(departed, .departedConsents, upTo: sequence, now: now)
        }
        try erasure.erase(key, .identity, upTo: sequence, now: now)
    }

    /// Removes a user from an installation that is in memory: short reads and writes of its own records, under its lock.
    ///
    /// - Returns: True if the object was still that of its installation.
    @discardableResult
    private func forget(
        _ mpid: MPID,
        _ core: InstallationCore,
        _ records: inout RecordErasure
    ) async throws(SignetError) -> Bool {
        if let store = core.store.shared {
            // The rows were found by their mentions: of the handles here only those that know the user must hear of it.
            guard store.mentions(mpid) else { return true }
            records.findings.installations += try await self.forget(mpid, store) ? 1 : 0
            return true
        }
        let isCurrent = core.identityState.directory.current == mpid
        try Self.eraseFromOutbox(of: core, mpid, all: isCurrent)
        let isMentioned = core.mentions(mpid)
        for service in self.managers.linked.all { try await service.erase(mpid, in: core, isCurrent: isCurrent) }
        let number = core.number
        try await records.perform(on: self.context.disk) { erasure throws(SignetError) in
            try erasure.eraseOtherServices(of: number, knowsSubject: isCurrent || isMentioned)
        }
        let states = try core.transact { machine, transaction throws(SignetError) in
            try UserForgetting(mpid).write(&machine, &transaction)
        }
        guard let (before, now) = states else { return false }
        if before.directory.mentioned.contains(mpid) { records.findings.installations += 1 }
        records.findings.note(now)
        return true
    }

    /// Removes the identities of a user from the outbox of an installation.
    ///
    /// - Parameters:
    ///   - core: The installation.
    ///   - mpid: The user's MPID.
    ///   - all: True to remove all records, because the services forget the installation.
    /// - Throws: `SignetError` from the disk.
    private static func eraseFromOutbox(
        of core: InstallationCore,
        _ mpid: MPID,
        all: Bool
    ) throws(SignetError) {
        _ = try core.outbox()
        try core.transact { machine, transaction in
            if !machine.phase.isRetired { machine.outbox.erase(mpid, all: all, &transaction) }
        }
    }

    /// Removes a user from the services of an installation that is not in memory, but has work there.
    private func forgetInServices(
        of mpid: MPID,
        _ id: InstallationID,
        _ key: [UInt8]
    ) async throws(SignetError) {
        guard !self.managers.linked.all.isEmpty, self.registry.find(id) == nil else { return }
        let store = self.context.store
        let state: IdentityState?
        do throws(SignetError) {
            state = try await self.context.disk.perform { () throws(SignetError) in
                try store.value(for: key).map { value throws(SignetError) in try IdentityState(decoding: value) }
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
                records: ServiceRecords(store, of: service.definition, installation: state.number),
                isCurrent: state.directory.current == mpid,
                isMentioned: state.directory.mentioned.contains(mpid)
            )
            try await service.erase(mpid, of: id, installation)
        }
    }

    /// Reads records again, and writes the installation's state once more if one is damaged.
    ///
    /// - Returns: True if the records are good or were written; false if another object has replaced this one.
    /// - Throws: `SignetError` from the disk.
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
            return try core.transact { machine, transaction in machine.writeDown(&transaction) }
        }
    }
}
