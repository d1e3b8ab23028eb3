// SPDX-License-Identifier: Apache-2.0

import SignetLock
package import SignetModel

/// Drives one installation's part of a service: the machine decides, the adapter knows the service, this performs.
///
/// Callers wait for the disk only. Requests run inside `run()`, one at a time and in order. A decision is written before
/// it counts; then it is published, then subscribers and callers hear of it.
package actor LinkedServiceDriver<Adapter: LinkedAdapter>: LinkedManager {
    package typealias Machine = Adapter.Machine

    /// The state that is read without waiting for the actor.
    private struct Published {
        var snapshot: Adapter.Snapshot
        var life = Life.active
    }

    private enum Life { case active, retired }

    /// The job that works.
    private enum Job {
        case none
        /// It runs, or waits for `run()`.
        case submitted
    }

    package nonisolated let installation: InstallationID
    package nonisolated let adapter: Adapter
    /// The installation that it follows, while that is in memory.
    package nonisolated let home = LinkedHomeReference()
    private nonisolated let published: Locked<Published>
    package private(set) var machine: Machine
    /// The service's own state of doing, which is not on disk.
    package var state: Adapter.State
    private var job = Job.none
    private let wakeup = AsyncSignal()
    /// The callers that wait until there is nothing to do.
    package private(set) var settling: [Promise<Void>] = []

    /// Makes the driver.
    ///
    /// - Parameters:
    ///   - installation: The installation.
    ///   - machine: The machine, restored from disk.
    ///   - state: The service's state of doing.
    ///   - adapter: What the driver must know of the service.
    package init(_ installation: InstallationID, _ machine: Machine, _ state: Adapter.State, _ adapter: Adapter) {
        self.installation = installation
        self.adapter = adapter
        self.machine = machine
        self.state = state
        self.published = Locked(Published(snapshot: Adapter.snapshot(of: machine)))
    }

    /// What callers see: the state of the last decision that is on disk.
    package nonisolated var snapshot: Adapter.Snapshot {
        self.published.withLock { $0.snapshot }
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
        await self.adapter.runErrands(self)
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
        self.perform(actions)
        return result
    }

    /// Takes over what has happened, whether the disk takes it or not.
    package func stand(_ body: (inout Machine) -> [Machine.Action]) {
        let actions = body(&self.machine)
        self.perform(self.adapter.keep(actions, self))
    }

    /// Changes what the machine knows of the moment; nothing of it is on disk.
    package func adjust<Result>(_ body: (inout Machine) -> Result) -> Result {
        body(&self.machine)
    }

    private func perform(_ actions: [Machine.Action]) {
        self.publish()
        self.adapter.perform(actions, self)
    }

    /// Shows callers the state of the machine.
    package func publish() {
        let snapshot = Adapter.snapshot(of: self.machine)
        self.published.withLock { $0.snapshot = snapshot }
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
            guard let home = self.home.target else {
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
        guard !self.isWorking else { return self.wakeup.signal() }
        guard self.hasWork else { return self.settled() }
        // The job keeps the driver in memory until everything has been answered.
        if self.context.jobs.submit({ await self.run() }) { self.job = .submitted } else { self.settled() }
    }

    private func run() async {
        let time = self.context.time
        await self.adapter.begin(self)
        while !Task.isCancelled, !self.isRetired, self.adapter.maySend(self) {
            switch self.machine.next(now: time.uptime, milliseconds: time.milliseconds) {
            case .idle, .busy:
                self.job = .none
                return self.settled()
            case .wait(let deadline):
                self.settled()
                await self.wakeup.wait(until: deadline, on: time)
            case .perform(let number, let operation):
                await self.perform(number, operation)
            }
        }
        self.job = .none
        self.adapter.end(self)
        self.settled()
    }

    private func perform(_ number: Int, _ operation: Machine.Operation) async {
        let answer = await self.adapter.answer(to: operation, self)
        // The runtime ends or the installation is gone: the outcome is unknown, and the next start asks again.
        guard !Task.isCancelled, !self.isRetired else { return self.machine.interrupt() }
        let (time, jitter) = (self.context.time, self.context.jitter())
        let (now, milliseconds) = (time.uptime, time.milliseconds)
        self.stand { $0.finish(number, answer, now: now, milliseconds: milliseconds, jitter: jitter) }
        self.reportPostponement(answer, now)
        self.adapter.reviewMachine(self)
        await self.adapter.runErrands(self)
    }

    private func reportPostponement(_ answer: Machine.Answer, _ now: Duration) {
        guard let error = Adapter.postponement(answer) else { return }
        self.context.observer.servicePostponed(
            Adapter.service,
            installation: self.installation,
            until: self.machine.pausedUntil.map { max($0 - now, .zero) } ?? .zero,
            error: error
        )
    }

    // MARK: - Life

    /// Waits until there is nothing to do, or nothing before the end of a pause.
    package func untilSettled() async {
        self.work()
        // A decision may have taken away what a request is still on the wire for.
        guard self.isWorking, self.hasWork else { return }
        let promise = Promise<Void>()
        self.settling.append(promise)
        self.wakeup.signal()
        _ = await promise.value()
    }

    private func settled() {
        let waiting = self.settling
        self.settling = []
        for promise in waiting { promise.resolve(()) }
    }

    /// True after ``retire()``.
    package nonisolated var isRetired: Bool {
        self.published.withLock { $0.life == .retired }
    }

    /// Retires the driver: it writes nothing any more.
    package nonisolated func retire() {
        self.published.withLock { $0.life = .retired }
    }

    /// Ends the driver, and answers its waiting callers.
    package func stop() async {
        await self.adapter.stop(self)
        self.settled()
    }

    /// Counts and reports a change of state that the disk refused.
    package func reportNotSaved(_ error: SignetError) {
        self.context.statistics.record { $0.statesNotSaved += 1 }
        self.context.observer.stateNotSaved(installation: self.installation, error: error)
    }
}
