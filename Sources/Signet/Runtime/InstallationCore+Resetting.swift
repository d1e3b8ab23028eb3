//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

extension InstallationCore {
    /// Forgets everything of the installation: from the first word on disk on, this object is nobody's any more.
    func reset() async throws(SignetError) {
        guard self.services.identity.lifecycle.acceptsCalls else { throw .notRunning }
        let reset = InstallationReset(number: self.identityState.number, id: self.id)
        let resumptions = try self.registry.remove(self) { () throws(SignetError) in
            try self.commit(reset)
        }
        for resumption in resumptions { resumption.resume() }
        // Whoever waits for an answer is told, and answers that come change nothing.
        await self.identity.stop(.closed)
        let (visitor, profile) = (
            self.services.iterable?.managers.remove(self.id),
            self.services.infobip?.managers.remove(self.id)
        )
        visitor?.retire()
        profile?.retire()
        await visitor?.stop()
        await profile?.stop()
        await self.services.aliases.forget(self.id, stamp: self.identityState.deviceApplicationStamp)
        try await self.services.finish(reset)
    }

    /// Writes the word that nothing of it counts any more; no event is logged after it.
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
    /// Looks at all events and records that wait: never on the executor of the caller.
    ///
    /// - Throws: What the disk says; then it stands, and is finished when somebody asks again.
    @concurrent
    func finish(_ reset: InstallationReset) async throws(SignetError) {
        // The word survives a loss of power before what it is about goes.
        try await self.syncTogether()
        let infobipEvents = try self.removeState(of: reset)
        if infobipEvents > 0 { self.statistics.record { $0.infobipEventsDropped += infobipEvents } }
        try await self.events.reset(reset)
        try await self.syncTogether()
        try reset.end(in: self.store)
        self.resets.withLock { $0.finished(reset) }
    }

    /// Removes what the installation remembers, once: a newer one may have the id right after.
    ///
    /// Under the lock, as the call and the open of a newer one may do so at the same time.
    private func removeState(of reset: InstallationReset) throws(SignetError) -> Int {
        try self.resets.withLock { resets throws(SignetError) in
            guard !resets.withoutState.contains(reset) else { return 0 }
            let events = try reset.removeState(from: self.store)
            resets.withoutState.insert(reset)
            return events
        }
    }

    /// What was reset under an id, and is on disk still, is not found by who opens it.
    func finishState(of id: InstallationID) throws(SignetError) {
        for reset in self.resets.withLock({ $0.all }) where reset.id == id {
            _ = try self.removeState(of: reset)
        }
    }

    /// Tries again what an error of the disk has cut short in this process.
    func finishResets() async {
        for reset in self.resets.withLock({ $0.all }).sorted(by: { $0.number < $1.number }) {
            // Told by the call itself; it stays for the next time.
            do throws(SignetError) { try await self.finish(reset) } catch { continue }
        }
    }
}
