// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

extension InstallationCore {
    /// Forgets all data of the installation; from the first record on disk on, this object is retired.
    func reset() async throws(SignetError) {
        guard self.services.identity.lifecycle.acceptsCalls else { throw .notRunning }
        let reset = InstallationReset(number: self.identityState.number, id: self.id)
        let resumptions = try self.registry.remove(self) { () throws(SignetError) in
            try self.commit(reset)
        }
        for resumption in resumptions { resumption.resume() }
        // Callers that wait for an answer get `closed`, and late answers change nothing.
        await self.identity.stop(.closed)
        for manager in self.services.linked.retire(self.id) { await manager.stop() }
        await self.services.aliases.forget(self.id, stamp: self.identityState.deviceApplicationStamp)
        try await self.services.finish(reset)
    }

    /// Writes the reset record; no event is logged after it.
    private func commit(_ reset: InstallationReset) throws(SignetError) -> [Resumption] {
        try self.state.withLock { own throws(SignetError) in
            guard own.phase == .open else { throw .closed }
            // Events in memory must be in the journal to be removed with the rest.
            _ = try self.services.lastSequence()
            try self.services.store.put(reset.value, for: reset.key)
            self.services.resets.withLock { _ = $0.all.insert(reset) }
            self.services.ingress.reset(reset.number)
            own.phase = .retired
            own.isReset = true
            guard let user = own.identity.directory.currentUser(now: self.services.time.milliseconds)
            else { return [] }
            let updates = UserChange(installation: self.id, previous: user, current: nil)
            return self.services.userChanges.stage(updates, of: self.id)
        }
    }
}

extension RuntimeServices {
    /// Finishes the reset of an installation.
    ///
    /// Reads all waiting events and records, so it never runs on the executor of the caller.
    ///
    /// - Throws: `SignetError` from the disk; then the reset stands, and the next request finishes it.
    @concurrent
    func finish(_ reset: InstallationReset) async throws(SignetError) {
        // The reset record must survive a loss of power before any data is removed.
        try await self.syncTogether()
        self.statistics.recordsErased(try self.removeState(of: reset), self.linked.stored)
        try await self.events.reset(reset)
        try await self.syncTogether()
        try reset.end(in: self.store)
        self.resets.withLock { $0.finished(reset) }
    }

    /// Removes the installation's state, once: a newer installation may take the id right after.
    ///
    /// Under the lock, as the reset and the open of a newer installation may run at the same time.
    private func removeState(of reset: InstallationReset) throws(SignetError) -> StoredServices.Counts {
        try self.resets.withLock { resets throws(SignetError) in
            guard !resets.withoutState.contains(reset) else { return [:] }
            let records = try reset.removeState(from: self.store)
            resets.withoutState.insert(reset)
            return records
        }
    }

    /// Removes the remaining state of resets of an id, so that the next open does not find it.
    func finishState(of id: InstallationID) throws(SignetError) {
        for reset in self.resets.withLock({ $0.all }) where reset.id == id {
            self.statistics.recordsErased(try self.removeState(of: reset), self.linked.stored)
        }
    }

    /// Retries the resets that an error of the disk cut short in this process.
    func finishResets() async {
        for reset in self.resets.withLock({ $0.all }).sorted(by: { $0.number < $1.number }) {
            // The call itself reports the error; the reset stays for the next attempt.
            do throws(SignetError) { try await self.finish(reset) } catch { continue }
        }
    }
}
