// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Delivers what one installation has accepted, within the time of its removal.
///
/// Each wait throws `cancelled` if its task is cancelled, and `notRunning` if `run()` was not called in time.
struct RemovalDelivery: Sendable {
    private let core: InstallationCore
    /// The uptime at which it gives up.
    private let deadline: Duration

    /// Makes the delivery of an installation.
    ///
    /// - Parameters:
    ///   - core: The installation.
    ///   - deadline: The uptime at which the time is over.
    init(of core: InstallationCore, until deadline: Duration) {
        (self.core, self.deadline) = (core, deadline)
    }

    /// The time that is left.
    var left: Duration {
        self.deadline - self.core.context.time.uptime
    }

    // MARK: - Identity calls

    /// Waits until the identity calls that have begun are answered.
    func finishCalls() async throws(SignetError) {
        try await self.awaitRunning()
        let identity = self.core.identity
        let isDone = try await self.limited {
            await identity.finishCalls()
            _ = await identity.trafficToAwait?.value()
            // A call without a caller may just be about to begin its request.
            await Task.yield()
            return true
        }
        guard isDone, self.left > .zero else { throw .notRemoved("An identity call has no answer yet.") }
    }

    // MARK: - Data

    /// Delivers everything that the installation has accepted and that can be sent.
    func deliver() async throws(SignetError) {
        // An event in memory only has no place in the journal yet.
        try self.core.context.emptyMemory()
        try await self.deliverEvents()
        try await self.deliverToServices()
        // After the events that the requests wait for.
        try await self.deliverAliases()
    }

    /// Delivers the events in the journal, except those without a known user.
    ///
    /// - Throws: `timedOut`, `uploadPaused`, `notRunning`, `cancelled`; the error of the disk.
    func deliverEvents() async throws(SignetError) {
        let isShared = self.core.store.shared != nil
        let events = self.core.managers.events
        let goal = try await events.aim(of: self.core.number)
        if goal.progress.current == nil { try await self.awaitRunning(giving: goal) }
        switch await self.progress(of: goal) {
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
            throw .notRemoved("\(left.of("event has", "events have")) no answer.", eventsLeft: left, isShared: isShared)
        }
    }

    private func progress(of goal: EventQueue.Wish) async -> UploadStateMachine.Progress? {
        if let progress = goal.progress.current { return progress }
        return await withTimeLimit(self.left, on: self.core.context.time) { await goal.progress.value() }
    }

    /// Sends what waits for the services that follow.
    private func deliverToServices() async throws(SignetError) {
        for service in self.core.managers.linked.all {
            if try !self.core.outbox().open(for: service.service).isEmpty {
                try await service.followUser(of: self.core)
            }
            guard let manager = self.core.manager(of: service.service) else { continue }
            if try await manager.isIdle() { continue }
            try await self.awaitRunning()
            let isSent = try await self.limited { () throws(SignetError) in
                try await manager.settle()
            }
            guard !isSent else { continue }
            guard self.left > .zero else {
                throw .notRemoved("\(service.service) has not answered for all of its data.")
            }
            throw .removalPaused("Data for \(service.service) waits for the end of a pause, or for a token.")
        }
    }

    private func deliverAliases() async throws(SignetError) {
        let (aliases, id) = (self.core.managers.aliases, self.core.id)
        guard await aliases.hasRequests(of: id) else { return }
        try await self.awaitRunning()
        let isSent = try await self.limited { await aliases.untilEnded(of: id) }
        guard isSent else { throw .notRemoved("Alias requests have no answer.") }
    }

    // MARK: - Limits

    /// Waits for `run()`, which alone sends.
    ///
    /// - Parameter goal: The wait for events to give up if it does not come; nil for none.
    /// - Throws: `notRunning`, `cancelled`.
    private func awaitRunning(giving goal: EventQueue.Wish? = nil) async throws(SignetError) {
        let context = self.core.context
        let readiness = await context.lifecycle.readiness(within: self.left, on: context.time)
        if readiness != .ready, let goal { await self.core.managers.events.abandon(goal) }
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
        _ body: @escaping @Sendable () async throws(SignetError) -> Bool
    ) async throws(SignetError) -> Bool {
        let result = await withTimeLimit(self.left, on: self.core.context.time) { () -> Result<Bool, SignetError>? in
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
