// SPDX-License-Identifier: Apache-2.0

import SignetLock
package import SignetModel

package import struct FoundationEssentials.UUID

/// Drives one installation's part of a service: the machine decides, the adapter knows the service, this performs.
///
/// Requests run inside `run()`, one at a time and in order. A decision is written before it counts; then it is published,
/// then subscribers and callers hear of it. A call waits for the disk; only the adapter lets one wait for an answer.
package actor LinkedServiceDriver<Adapter: LinkedAdapter>: LinkedManager {
    package typealias Machine = Adapter.Machine

    /// The state that is read without waiting for the actor.
    private struct Published {
        var snapshot: Adapter.Snapshot
        var syncPoint: SyncPoint
        var isRetired = false
    }

    /// The user of the installation whom the service knows, and the entry of the outbox that it followed last.
    package struct SyncPoint: Sendable {
        package let synced: SyncedUser?
        package let followed: UUID?

        fileprivate init(_ machine: Machine) {
            self.synced = machine.synced
            self.followed = machine.followed
        }
    }

    /// The job that works.
    private enum Job {
        case none
        /// It runs, or waits for `run()`.
        case submitted
        /// The runtime ends: there is no further job.
        case ended
    }

    package nonisolated let installation: InstallationID
    package nonisolated let adapter: Adapter
    /// The installation that it follows, while that is in memory.
    package nonisolated let home = LinkedHomeReference()
    private nonisolated let published: Locked<Published>
    package private(set) var machine: Machine
    /// The values that the service holds beside the machine; they are not on disk.
    package var state: Adapter.State
    private var job = Job.none
    /// True while nobody but a visit wants its work: a pause ends the job, and the next visit continues.
    private var isLetGo = false
    /// True if the service has done something since the begin of a visit.
    private var hasSucceeded = false
    /// True while it stays in memory without a user.
    private var isKept = false
    private let wakeup = AsyncSignal()
    /// The callers that wait until there is nothing to do.
    package private(set) var settling: [Promise<Void>] = []

    /// Makes the driver.
    ///
    /// - Parameters:
    ///   - installation: The installation.
    ///   - machine: The machine, restored from disk.
    ///   - state: What the service holds beside the machine.
    ///   - adapter: What the driver must know of the service.
    package init(_ installation: InstallationID, _ machine: Machine, _ state: Adapter.State, _ adapter: Adapter) {
        self.installation = installation
        self.adapter = adapter
        self.machine = machine
        self.state = state
        self.published = Locked(Published(snapshot: Adapter.snapshot(of: machine), syncPoint: SyncPoint(machine)))
    }

    /// The state that callers see: that of the last decision or answer.
    package nonisolated var snapshot: Adapter.Snapshot {
        self.published.withLock { $0.snapshot }
    }

    /// The user whom the service knows, as of the last decision or answer.
    package nonisolated var syncPoint: SyncPoint {
        self.published.withLock { $0.syncPoint }
    }

    private nonisolated var context: LinkedServiceContext { self.adapter.context }

    // MARK: - Decisions

    /// Takes over what came before, lets the machine decide, and starts its work.
    ///
    /// It does not suspend.
    ///
    /// - Throws: Errors of the disk, `closed`. The decision has then no effect, but earlier changes may have been taken
    ///   over.
    package func call<Result>(
        _ decide: (inout Machine) -> (Result, [Machine.Action])
    ) throws(SignetError) -> Result {
        let result: Swift.Result<Result, SignetError>
        do throws(SignetError) {
            try self.catchUp()
            result = .success(try self.decide(decide))
        } catch {
            result = .failure(error)
        }
        self.adapter.reviewMachine(self)
        self.work()
        return try result.get()
    }

    /// Decides as ``call(_:)``, and then does in other actors what follows.
    package func perform<Result>(
        _ decide: (inout Machine) -> (Result, [Machine.Action])
    ) async throws(SignetError) -> Result {
        let result: Swift.Result<Result, SignetError>
        do throws(SignetError) {
            result = .success(try self.call(decide))
        } catch {
            result = .failure(error)
        }
        await self.adapter.runDeferredEffects(self)
        return try result.get()
    }

    /// Takes over what came before, with no further decision.
    package func follow() async throws(SignetError) {
        try await self.perform { _ in ((), []) }
    }

    /// Lets the machine decide and performs its actions.
    ///
    /// A decision that the disk refuses has not happened.
    package func decide<Result>(
        _ body: (inout Machine) -> (Result, [Machine.Action])
    ) throws(SignetError) -> Result {
        guard !self.isRetired else { throw .closed }
        var machine = self.machine
        let (result, actions) = body(&machine)
        try self.adapter.persist(actions, of: machine, self)
        self.machine = machine
        self.carryOut(actions)
        return result
    }

    /// Applies what has happened, whether the disk takes it or not.
    package func apply(_ body: (inout Machine) -> [Machine.Action]) {
        let actions = body(&self.machine)
        self.carryOut(self.adapter.keep(actions, self))
    }

    /// Changes what the machine knows of the moment; nothing of it is on disk.
    package func adjust<Result>(_ body: (inout Machine) -> Result) -> Result {
        body(&self.machine)
    }

    /// Publishes the state of the machine, then performs actions; nothing is written.
    package func carryOut(_ actions: [Machine.Action]) {
        self.publish()
        self.adapter.perform(actions, self)
    }

    /// Shows callers the state of the machine.
    package func publish() {
        let (snapshot, syncPoint) = (Adapter.snapshot(of: self.machine), SyncPoint(self.machine))
        self.published.withLock { ($0.snapshot, $0.syncPoint) = (snapshot, syncPoint) }
        self.stayInMemory()
    }

    /// Stays in memory as long as it has unsent data that is nowhere else.
    private func stayInMemory() {
        let isNeeded = if case .ended = self.job { false } else { self.adapter.hasUnwritten(self) }
        guard isNeeded != self.isKept else { return }
        self.isKept = isNeeded
        self.context.keepInMemory(self, isNeeded)
        // Retired meanwhile.
        if isNeeded, self.isRetired { self.context.keepInMemory(self, false) }
    }

    /// Takes over what came before, in order.
    ///
    /// It does not suspend, and nothing suspends between it and the decision that follows. So a call is never for a user
    /// who has left, even if a process died between a login and this.
    ///
    /// - Throws: Errors of the disk: the user of the next call is then unknown.
    private func catchUp() throws(SignetError) {
        try self.adapter.prepare(self)
        while true {
            let event = self.adapter.firstEvent()
            guard self.adapter.followsLogin, let home = self.home.target else {
                guard event != nil else { return }
                self.adapter.takeFirstEvent(self)
                continue
            }
            // Read after the event, so it includes every login before that.
            let outbox = try home.outbox()
            let due = outbox.due(for: Adapter.service, after: self.machine.followed)
            if let event, !due.contains(where: { $0.id == event.after }) {
                self.adapter.takeFirstEvent(self)
                continue
            }
            guard let entry = due.first else {
                return self.adapter.review(outbox.open(for: Adapter.service), of: home, self)
            }
            try self.decide { ((), self.adapter.follow(entry, in: &$0)) }
        }
    }

    // MARK: - Work

    /// True while its job runs, or waits for `run()`.
    package var isWorking: Bool {
        if case .submitted = self.job { true } else { false }
    }

    private var hasWork: Bool {
        self.machine.hasWork(now: self.context.time.uptime, milliseconds: self.context.time.milliseconds)
    }

    /// Starts the pending work inside `run()`, or wakes it.
    package func work() {
        self.isLetGo = false
        switch self.job {
        case .submitted: self.wakeup.signal()
        // The job keeps the driver in memory until everything has been answered.
        case .none where self.hasWork && !self.isRetired && self.context.jobs.submit({ await self.run() }):
            self.job = .submitted
        case .none, .ended:
            self.rest()
            self.settled()
        }
    }

    private func run() async {
        let time = self.context.time
        while !Task.isCancelled, !self.isRetired, self.adapter.prepareToSend(self) {
            switch self.machine.next(now: time.uptime, milliseconds: time.milliseconds) {
            case .idle, .busy: return self.endJob()
            case .wait where self.isLetGo:
                self.adapter.end(self)
                return self.endJob()
            case .wait(let deadline):
                self.settled()
                await self.wakeup.wait(until: deadline, on: time)
            case .perform(let number, let operation):
                await self.run(operation, number)
            }
        }
        self.adapter.end(self)
        self.endJob()
    }

    private func endJob() {
        if self.isWorking { self.job = .none }
        self.rest()
        self.settled()
    }

    private func rest() {
        if !self.isRetired, !self.hasWork { self.adapter.rest(self) }
    }

    private func run(_ operation: Machine.Operation, _ number: Int) async {
        let answer = await self.adapter.answer(to: operation, self)
        // The runtime ends or the installation is gone: the outcome is unknown, and the next start asks again.
        guard !Task.isCancelled, !self.isRetired else { return self.machine.interrupt() }
        let (time, jitter) = (self.context.time, self.context.jitter())
        let (now, milliseconds) = (time.uptime, time.milliseconds)
        self.apply { $0.finish(number, answer, now: now, milliseconds: milliseconds, jitter: jitter) }
        if self.machine.obstacle == nil { self.hasSucceeded = true }
        self.adapter.reviewMachine(self)
        await self.adapter.runDeferredEffects(self)
    }

    // MARK: - Life

    /// Waits until there is nothing to do, or nothing before the end of a pause.
    ///
    /// A request may still be on the wire whose answer no longer counts.
    package func untilSettled() async {
        self.work()
        guard self.isWorking, self.hasWork else { return }
        let promise = Promise<Void>()
        self.settling.append(promise)
        self.wakeup.signal()
        _ = await promise.value()
    }

    package func isIdle() async throws(SignetError) -> Bool {
        try await self.follow()
        return !self.hasWork || self.machine.mayBeGivenUp
    }

    package func settle() async throws(SignetError) -> Bool {
        try await self.follow()
        await self.untilSettled()
        return !self.hasWork || self.machine.mayBeGivenUp
    }

    /// Does what is owed without the app, until it is done or pauses.
    ///
    /// The pauses of an installation that its app has open are its own. Else the caller decides when the next try is made, so that many
    /// installations do not try a service that is away.
    func visit() async throws(SignetError) -> LinkedVisit {
        self.hasSucceeded = false
        try await self.follow()
        await self.adapter.prepareVisit(self)
        await self.untilSettled()
        let isOpen = (self.home.target as? any FollowedInstallation)?.isOpen == true
        guard self.hasWork, let obstacle = self.machine.obstacle else { return self.hasSucceeded ? .done : .nothing }
        guard !isOpen else { return .nothing }
        self.letGo()
        return .left(obstacle)
    }

    /// Ends a job that waits for the end of a pause; the next call of the app continues.
    func letGo() {
        guard (self.home.target as? any FollowedInstallation)?.isOpen != true else { return }
        self.isLetGo = true
        self.wakeup.signal()
    }

    private func settled() {
        let waiting = self.settling
        self.settling = []
        for promise in waiting { promise.resolve(()) }
    }

    /// True after ``retire()``.
    package nonisolated var isRetired: Bool {
        self.published.withLock { $0.isRetired }
    }

    /// Retires the driver: it writes nothing any more.
    package nonisolated func retire() {
        self.published.withLock { $0.isRetired = true }
        self.context.keepInMemory(self, false)
        // A job that waits for the end of a pause keeps the driver in memory.
        self.wakeup.signal()
    }

    /// Ends the driver, and answers its waiting callers.
    package func stop() async {
        self.job = .ended
        await self.adapter.stop(self)
        self.stayInMemory()
        self.settled()
    }

    /// Counts and reports a change of state that the disk refused.
    package func reportNotSaved(_ error: SignetError) {
        self.context.statistics.record { $0.statesNotSaved += 1 }
        self.context.observer.stateNotSaved(installation: self.installation, error: error)
    }
}
