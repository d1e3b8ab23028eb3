// SPDX-License-Identifier: Apache-2.0

import SignetJournal

/// Runs the managers of a runtime, and ends them in order.
final class RuntimeRun: Sendable {
    private let context: RuntimeContext
    private let managers: RuntimeManagers
    private let registry: InstallationRegistry
    private let erasure: UserErasure
    /// Works with the shared store; nil if there is none.
    private let fleet: FleetLoop?
    private let retention: InstallationRetention
    private let dueWork: DueWork
    /// Resolved when a shutdown lets `run()` return.
    private let release = Promise<Void>()
    /// Resolved by a shutdown: true if it has finished all calls and delivered all data.
    private let drained = Promise<Bool>()

    init(
        _ context: RuntimeContext,
        _ managers: RuntimeManagers,
        _ registry: InstallationRegistry,
        _ erasure: UserErasure,
        _ fleet: FleetLoop?,
        _ opening: InstallationOpening
    ) {
        (self.context, self.managers, self.registry, self.erasure) = (context, managers, registry, erasure)
        (self.fleet, self.retention) = (fleet, InstallationRetention(opening))
        self.dueWork = DueWork(opening)
    }

    /// Claims the only run of this runtime.
    func begin() throws(SignetError) {
        if case .refuse(let code) = self.context.lifecycle.run() {
            let reason =
                code == .alreadyRunning
                ? "The runtime is already running. Call `run()` once."
                : "The runtime has ended. Make another `SignetRuntime`."
            throw SignetError(code, reason)
        }
        self.context.health.began(eventsWaiting: self.context.journal.liveCount)
    }

    /// Performs requests until a shutdown or the cancellation of its task; follows ``begin()``, once.
    ///
    /// It also reads on with the readers of services that ended before, and returns after their last update.
    func serve() async {
        await self.context.unfinishedReaders.readOn { await self.perform() }
    }

    private func perform() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.context.jobs.run() }
            group.addTask { await self.managers.events.run() }
            group.addTask { await self.managers.sessions.run() }
            group.addTask { await self.managers.aliases.run() }
            group.addTask { await self.dueWork.run() }
            if let fleet = self.fleet { group.addTask { await fleet.run() } }
            group.addTask { await self.tidyNowAndThen() }
            // Beside the rest: it reads the records of all installations.
            if self.retention.isNeeded { group.addTask { await self.retention.run() } }
            // Nil when the task was cancelled: the hard way.
            _ = await self.release.value()
            group.cancelAll()
        }
        await self.end()
    }

    /// Ends in order, within a limit; another call waits for the same end.
    func shutdown(within limit: Duration) async -> ShutdownReport {
        switch self.context.lifecycle.shutdown() {
        case .end:
            for core in self.registry.all { core.exit() }
            await self.end()
        case .join, .report:
            break
        case .drain:
            // Logged before the remaining events are delivered.
            for core in self.registry.all { core.exit() }
            let time = self.context.configuration.time
            let deadline = time.uptime + limit
            _ = await withTimeLimit(limit / 8, on: time) { () -> Void? in await self.dueWork.stop() }
            // Until half of the time has passed: a call in a long pause must not cost the last upload.
            let areCallsFinished = await withTimeLimit(deadline - limit / 2 - time.uptime, on: time) {
                for manager in self.managers.active.all { await manager.finishCalls() }
                return Task.isCancelled ? nil : true
            }
            if let fleet = self.fleet {
                // An eighth of the time: the store may be slow. At least three eighths are left for the services and the last upload.
                _ = await withTimeLimit(limit / 8, on: time) { () -> Void? in await fleet.settle() }
            }
            let areServicesIdle = await self.dueWork.drainServices(until: deadline)
            let isDrained = await withTimeLimit(deadline - time.uptime, on: time) { await self.managers.events.drain() }
            // After the events that the alias requests wait for.
            let areAliasesSent = await withTimeLimit(deadline - time.uptime, on: time) {
                await self.managers.aliases.drain()
            }
            let isOtherWorkDone = areServicesIdle && areAliasesSent == true
            self.drained.resolve(areCallsFinished == true && isOtherWorkDone && isDrained == true)
            self.release.resolve(())
        }
        if let report = await self.context.lifecycle.untilEnded() { return report }
        // Cancelled: remaining events may still be delivered before `run()` has ended.
        return ShutdownReport(
            eventsDelivered: self.context.statistics.current.eventsDelivered,
            eventsLeft: self.context.journal.liveCount,
            isComplete: false
        )
    }

    /// Ends the runtime in this order: answers all waiting callers, syncs and closes the disk, ends the streams,
    /// reports.
    ///
    /// After the disk is closed, nothing changes any more.
    private func end() async {
        self.context.lifecycle.refuseCalls()
        self.context.jobs.close()
        self.registry.close()
        for manager in self.managers.active.all { await manager.stop(.notRunning) }
        for service in self.managers.linked.all { await service.stop() }
        await self.fleet?.end()
        do throws(StorageError) {
            try self.context.memory.drain()
        } catch {
            self.context.observer.corruptionDetected(
                "Events in memory could not be written at the end of the runtime: \(error.message)"
            )
        }
        do throws(SignetError) {
            try await self.context.disk.syncTogether()
        } catch {
            self.context.observer.corruptionDetected(
                "The disk could not be synced at the end of the runtime: \(error.message)"
            )
        }
        let lost = self.giveUpMemory()
        self.finish(lost: lost, left: await self.context.disk.closeAside())
    }

    /// Releases the directory of a runtime that was not shut down; its last owner may wait for the disk.
    func abandon() {
        self.context.jobs.close()
        // Objects that are kept in memory for their live session refer to the registry that keeps them.
        self.registry.close()
        self.managers.active.removeAll()
        let lost = self.giveUpMemory()
        self.finish(lost: lost, left: self.context.disk.close())
    }

    /// Gives up the events in memory that the disk refused to the end.
    ///
    /// - Returns: Their number.
    private func giveUpMemory() -> Int {
        let lost = self.context.memory.close()
        if lost > 0 {
            self.context.statistics.record { $0.eventsDropped[.diskFailure, default: 0] += lost }
            self.context.observer.eventsDropped(lost, cause: .diskFailure)
        }
        return lost
    }

    /// Performs the last steps after the disk is closed, which wait for no other task.
    private func finish(lost: Int, left: Int) {
        self.managers.sessions.close()
        self.context.userChanges.finish()
        self.context.sessionChanges.finish()
        self.context.aliasOutcomes.finish()
        for service in self.managers.linked.all { service.finish() }
        self.context.identitySyncOutcomes.finish()
        let isDrained = self.drained.current ?? (left == 0)
        let report = ShutdownReport(
            eventsDelivered: self.context.statistics.current.eventsDelivered,
            eventsLeft: left,
            isComplete: isDrained && lost == 0
        )
        // Closed again when the runtime is released.
        if self.context.lifecycle.report == nil { self.context.observer.runtimeEnded(report) }
        self.context.lifecycle.end(report)
    }

    /// Keeps the files small and flushed where neither deliveries nor flushes do, and finishes erasures that were cut
    /// short.
    private func tidyNowAndThen() async {
        let time = self.context.configuration.time
        var lastFailure: String?
        while !Task.isCancelled {
            // Cancelled: the runtime ends.
            do { try await time.sleep(for: .seconds(60)) } catch { return }
            await self.context.tryDisk(self.context.reviewHealth())
            // The net under all that reports events without a user: an erasure, a handle that is held for long.
            self.context.dueWork.report { reports in
                reports.mayLackUsers = true
                reports.isMinuteOver = true
            }
            await self.erasure.finishErasures()
            await self.managers.finishResets(self.context)
            await self.erasure.between {
                do throws(SignetError) {
                    // Not during an erasure, which does the same. The end of the runtime must not wait for one here.
                    try await self.context.tidyDisk()
                    lastFailure = nil
                } catch {
                    // The runtime ends; its close stops the work.
                    guard error.code != .cancelled else { return }
                    self.context.health.failed(error.code)
                    // A disk that keeps failing is reported once.
                    if error.message != lastFailure {
                        self.context.observer.corruptionDetected(
                            "The files could not be cleaned up. The runtime tries again: \(error.message)"
                        )
                    }
                    lastFailure = error.message
                }
            }
        }
    }
}
