// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetTransport

/// The managers of a runtime that its installations call.
final class RuntimeManagers: Sendable {
    let sessions: SessionManager
    let events: EventQueue
    let aliases: AliasQueue
    /// The services that follow the installations.
    let linked: LinkedServices
    private let unwritten = UnwrittenDrivers()
    /// The identity managers with waiting callers.
    let active = ActiveManagers()
    /// The resets whose data is not yet removed from disk.
    let resets = Locked(ResetsUnderWay())

    /// Makes the managers.
    ///
    /// - Parameters:
    ///   - context: The parts that the runtime shares.
    ///   - users: The users of installations, for delivery.
    ///   - registry: The installations in memory.
    ///   - services: The services that follow.
    ///   - transport: Carries the requests of services.
    /// - Throws: `SignetError` of the disk, from a service.
    init(
        _ context: RuntimeContext,
        _ users: any EventUsers,
        _ registry: InstallationRegistry,
        _ services: [ServiceDefinition],
        _ transport: any Transport
    ) throws(SignetError) {
        let settled = AsyncSignal()
        self.sessions = SessionManager(time: context.time, ended: context.ingress.eventLogged)
        self.events = EventQueue(context, users: users, settled: settled)
        self.aliases = AliasQueue(context, users: users, events: self.events, wakeup: settled)
        self.linked = try LinkedServices(
            StoredServices(context.store, services),
            LinkedServiceContext(
                store: context.store,
                transport: transport,
                jobs: context.jobs,
                lifecycle: context.lifecycle,
                time: context.time,
                observer: context.observer,
                statistics: context.statistics,
                jitter: context.configuration.jitter,
                mode: context.configuration.sessions.mode,
                isOptedOut: { id throws(SignetError) in try users.isOptedOut(id) },
                workIsLeft: { [reports = context.dueWork] number in reports.report { $0.services.append(number) } },
                retryDueWork: { [reports = context.dueWork] service in reports.report { $0.retried.append(service) } },
                keepInMemory: { [weak unwritten = self.unwritten] driver, isNeeded in
                    unwritten?.keep(driver, isNeeded)
                }
            )
        )
    }

    // MARK: - Resets

    /// Finishes the reset of an installation.
    ///
    /// It reads all waiting events and records on the disk's own thread.
    ///
    /// - Throws: `SignetError` from the disk; then the reset stands, and the next request finishes it.
    @concurrent
    func finish(_ reset: InstallationReset, _ context: RuntimeContext) async throws(SignetError) {
        // The reset record must survive a loss of power before any data is removed.
        try await context.syncTogether()
        let records = try await context.disk.perform { () throws(SignetError) in
            try self.removeState(of: reset, context)
        }
        context.statistics.recordsErased(records, self.linked.stored)
        try await self.events.reset(reset)
        try await context.syncTogether()
        try await context.disk.perform { () throws(SignetError) in try reset.end(in: context.store) }
        self.resets.withLock { $0.finished(reset) }
    }

    /// Removes the remaining state of resets of an id, so that the next open does not find it.
    func finishState(of id: InstallationID, _ context: RuntimeContext) throws(SignetError) {
        for reset in self.resets.withLock({ $0.withState(of: id) }) {
            context.statistics.recordsErased(try self.removeState(of: reset, context), self.linked.stored)
        }
    }

    /// Retries the resets that an error of the disk cut short in this process.
    func finishResets(_ context: RuntimeContext) async {
        await self.finishQuietResets(context)
        let resets = self.resets.withLock { $0.all.subtracting($0.quiet) }
        for reset in resets.sorted(by: { $0.number < $1.number }) {
            // The call itself reports the error; the reset stays for the next attempt.
            do throws(SignetError) { try await self.finish(reset, context) } catch { continue }
        }
    }

    /// Removes the installation's state, once: a newer installation may take the id right after.
    ///
    /// Under the lock, as the reset and the open of a newer installation may run at the same time. What only a scan finds is read before
    /// that: a reset installation writes nothing any more.
    func removeState(
        of reset: InstallationReset,
        _ context: RuntimeContext,
        _ scattered: ScatteredRecords? = nil
    ) throws(SignetError) -> StoredServices.Counts {
        let (isRemoved, kept) = self.resets.withLock { ($0.withoutState.contains(reset), $0.records(of: reset)) }
        guard !isRemoved else { return [:] }
        let found: ScatteredRecords
        if let known = scattered ?? kept {
            found = known
        } else {
            found = try ScatteredRecords(of: [reset], in: context.store)
        }
        return try self.resets.withLock { resets throws(SignetError) in
            guard !resets.withoutState.contains(reset) else { return [:] }
            let records = try reset.removeState(from: context.store, found)
            resets.removedState(of: reset)
            return records
        }
    }
}
