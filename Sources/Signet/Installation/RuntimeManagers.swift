// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// The managers of a runtime that its installations call.
final class RuntimeManagers: Sendable {
    let sessions: SessionManager
    let events: EventQueue
    let aliases: AliasQueue
    /// The services that follow the installations.
    let linked: LinkedServices
    /// The identity managers with waiting callers.
    let active = ActiveManagers()
    /// The resets whose data is not yet removed from disk.
    let resets = Locked(ResetsUnderWay())

    init(sessions: SessionManager, events: EventQueue, aliases: AliasQueue, linked: LinkedServices) {
        self.sessions = sessions
        self.events = events
        self.aliases = aliases
        self.linked = linked
    }

    // MARK: - Resets

    /// Finishes the reset of an installation.
    ///
    /// Reads all waiting events and records, so it never runs on the executor of the caller.
    ///
    /// - Throws: `SignetError` from the disk; then the reset stands, and the next request finishes it.
    @concurrent
    func finish(_ reset: InstallationReset, _ context: RuntimeContext) async throws(SignetError) {
        // The reset record must survive a loss of power before any data is removed.
        try await context.syncTogether()
        context.statistics.recordsErased(try self.removeState(of: reset, context), self.linked.stored)
        try await self.events.reset(reset)
        try await context.syncTogether()
        try reset.end(in: context.store)
        self.resets.withLock { $0.finished(reset) }
    }

    /// Removes the remaining state of resets of an id, so that the next open does not find it.
    func finishState(of id: InstallationID, _ context: RuntimeContext) throws(SignetError) {
        for reset in self.resets.withLock({ $0.all }) where reset.id == id {
            context.statistics.recordsErased(try self.removeState(of: reset, context), self.linked.stored)
        }
    }

    /// Retries the resets that an error of the disk cut short in this process.
    func finishResets(_ context: RuntimeContext) async {
        for reset in self.resets.withLock({ $0.all }).sorted(by: { $0.number < $1.number }) {
            // The call itself reports the error; the reset stays for the next attempt.
            do throws(SignetError) { try await self.finish(reset, context) } catch { continue }
        }
    }

    /// Removes the installation's state, once: a newer installation may take the id right after.
    ///
    /// Under the lock, as the reset and the open of a newer installation may run at the same time.
    private func removeState(
        of reset: InstallationReset,
        _ context: RuntimeContext
    ) throws(SignetError) -> StoredServices.Counts {
        try self.resets.withLock { resets throws(SignetError) in
            guard !resets.withoutState.contains(reset) else { return [:] }
            let records = try reset.removeState(from: context.store)
            resets.withoutState.insert(reset)
            return records
        }
    }
}
