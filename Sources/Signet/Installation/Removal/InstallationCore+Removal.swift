// SPDX-License-Identifier: Apache-2.0

import SignetModel

// Removal after delivery; ``InstallationRemoval`` decides.
extension InstallationCore {
    /// Delivers what waits, then removes the installation.
    func remove(until deadline: Duration) async throws(SignetError) {
        guard self.context.lifecycle.acceptsCalls else { throw .notRunning }
        var removal = InstallationRemoval()
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            let facts = try self.store.transact { machine, transaction in
                InstallationRemoval.Facts(machine, transaction.frames)
            }.value
            switch removal.begin(facts, isLate: self.context.time.uptime >= deadline) {
            case .refuse:
                throw .closed
            case .finishCalls:
                try await self.finishCalls(until: deadline)
            case .endSession:
                try await self.endSession()
            case .deliver(let accepted):
                try await self.deliver(until: deadline)
                removal.delivered(accepted)
            case .remove:
                // Checked again under the locks: another handle may have logged meanwhile.
                if try await self.commit(removal) { return }
            case .giveUp:
                throw .notRemoved("It is still in use.")
            }
        }
    }

    /// Removes the installation if nothing was accepted since the delivery.
    ///
    /// - Returns: False if something was.
    private func commit(_ removal: InstallationRemoval) async throws(SignetError) -> Bool {
        let committed = try self.registry.remove(self) {
            () throws(SignetError) -> (commit: InstallationCommit<Bool>, reset: InstallationReset?)? in
            var reset: InstallationReset?
            let commit = try self.store.transact { machine, transaction throws(SignetError) in
                let facts = InstallationRemoval.Facts(machine, transaction.frames)
                guard removal.next(facts) == .remove else { return false }
                reset = machine.reset(now: transaction.moment.now.milliseconds, &transaction)
                return true
            }
            if let failure = commit.failure { throw failure }
            return commit.value ? (commit, reset) : nil
        }
        guard let committed else { return false }
        self.follow(committed.commit)
        // One that was never on disk is not removed from it.
        if committed.reset != nil { self.context.removed(1) }
        try await self.finish(committed.reset)
        return true
    }

    // MARK: - Delivery

    /// Waits until the identity calls that have begun are answered.
    private func finishCalls(until deadline: Duration) async throws(SignetError) {
        try await self.awaitRunning(until: deadline)
        let isDone = try await self.limited(until: deadline) {
            await self.identity.finishCalls()
            _ = await self.identity.trafficToAwait?.value()
            // A call without a caller may just be about to begin its request.
            await Task.yield()
            return true
        }
        guard isDone, self.context.time.uptime < deadline else {
            throw .notRemoved("An identity call has no answer yet.")
        }
    }

    /// Delivers everything that the installation has accepted and that can be sent.
    private func deliver(until deadline: Duration) async throws(SignetError) {
        // An event in memory only has no place in the journal yet.
        try self.context.emptyMemory()
        try await self.deliverEvents(until: deadline)
        try await self.deliverToServices(until: deadline)
        // After the events that the requests wait for.
        let aliases = self.managers.aliases
        guard await aliases.hasRequests(of: self.id) else { return }
        try await self.awaitRunning(until: deadline)
        let isSent = try await self.limited(until: deadline) { await aliases.untilEnded(of: self.id) }
        guard isSent else { throw .notRemoved("Alias requests have no answer.") }
    }

    /// Delivers the events in the journal, except those without a known user.
    ///
    /// - Parameter deadline: The uptime at which it gives up.
    /// - Throws: `timedOut`, `uploadPaused`, `notRunning`, `cancelled`; the error of the disk.
    func deliverEvents(until deadline: Duration) async throws(SignetError) {
        let isShared = self.store.shared != nil
        let events = self.managers.events
        let goal = try await events.aim(of: self.number)
        if goal.progress.current == nil { try await self.awaitRunning(until: deadline, giving: goal) }
        switch await self.progress(of: goal, until: deadline) {
        case .reached:
            break
        case .paused:
            let pause = await events.pause
            throw .removalPaused(pause?.message ?? "", because: pause, isShared: isShared)
        case .underWay:
            throw .notRunning
        case nil:
            let left = await events.abandon(goal)
            guard !Task.isCancelled else { throw .cancelled }
            throw .notRemoved("\(left) events have no answer.", eventsLeft: left, isShared: isShared)
        }
    }

    private func progress(
        of goal: EventQueue.Wish,
        until deadline: Duration
    ) async -> UploadStateMachine.Progress? {
        if let progress = goal.progress.current { return progress }
        let time = self.context.time
        return await withTimeLimit(deadline - time.uptime, on: time) { await goal.progress.value() }
    }

    /// Sends what waits for the services that follow.
    private func deliverToServices(until deadline: Duration) async throws(SignetError) {
        for service in self.managers.linked.all {
            if try !self.outbox().open(for: service.service).isEmpty { try await service.followUser(of: self) }
            guard let manager = self.manager(of: service.service) else { continue }
            if try await manager.isIdle() { continue }
            try await self.awaitRunning(until: deadline)
            let isSent = try await self.limited(until: deadline) { () throws(SignetError) in
                try await manager.settle()
            }
            guard !isSent else { continue }
            guard self.context.time.uptime < deadline else {
                throw .notRemoved("\(service.service) has not answered for all of its data.")
            }
            throw .removalPaused("Data for \(service.service) waits for the end of a pause, or for a token.")
        }
    }

    // MARK: - Limits

    /// Waits for `run()`, which alone sends.
    private func awaitRunning(until deadline: Duration, giving goal: EventQueue.Wish? = nil) async throws(SignetError) {
        let time = self.context.time
        let readiness = await self.context.lifecycle.readiness(within: deadline - time.uptime, on: time)
        if readiness != .ready, let goal { await self.managers.events.abandon(goal) }
        switch readiness {
        case .ready: return
        case .notRunning: throw .notRunning
        case .cancelled: throw .cancelled
        }
    }

    /// Waits for something within the limit.
    ///
    /// - Returns: The value of `body`; false if the time was over first.
    /// - Throws: `cancelled`; the error of `body`.
    private func limited(
        until deadline: Duration,
        _ body: @escaping @Sendable () async throws(SignetError) -> Bool
    ) async throws(SignetError) -> Bool {
        let time = self.context.time
        let result = await withTimeLimit(deadline - time.uptime, on: time) { () -> Result<Bool, SignetError>? in
            do throws(SignetError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        guard !Task.isCancelled else { throw .cancelled }
        return try result?.get() ?? false
    }
}

extension RuntimeContext {
    /// Counts and reports removed installations.
    func removed(_ count: Int) {
        guard count > 0 else { return }
        self.statistics.record { $0.installationsRemoved += count }
        self.observer.installationsRemoved(count)
    }
}

extension SignetError {
    /// The error of a removal whose time is over.
    ///
    /// - Parameters:
    ///   - what: The obstacle.
    ///   - eventsLeft: The number of events without an answer.
    ///   - isShared: True with a shared store, where there is no `reset()`.
    /// - Returns: The error.
    static func notRemoved(_ what: String, eventsLeft: Int? = nil, isShared: Bool = false) -> SignetError {
        SignetError(
            .timedOut,
            "The installation stays, and its data is still delivered: \(what) Call `remove(within:)` again with a longer limit"
                + (isShared ? "." : ", or `reset()` to remove it without delivery."),
            eventsLeft: eventsLeft
        )
    }

    fileprivate static func removalPaused(
        _ what: String,
        because pause: SignetError? = nil,
        isShared: Bool = false
    ) -> SignetError {
        SignetError(
            .uploadPaused,
            "The installation stays, as uploads are paused: call `remove(within:)` again after `retryAfter`"
                + (isShared ? ". \(what)" : ", or `reset()` to remove it without delivery. \(what)"),
            httpStatus: pause?.httpStatus,
            retryAfter: pause?.retryAfter,
            cause: pause
        )
    }
}
