// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

/// Runs the identity calls of one installation as its state machine decides.
///
/// Requests are performed inside `run()`, not in the task of the caller, so the installation gets the answer even if the
/// caller leaves.
actor IdentityManager {
    /// The installation, for reports.
    nonisolated let installation: InstallationID
    /// The state that can be read without waiting for the actor.
    struct Traffic {
        /// The outcome of the last request at the start; nil if there was none.
        var start: Promise<IdentityOutcome>?
        /// The request in progress, here or at a predecessor, for the object that replaces this one.
        var underWay: Promise<Void>?
    }

    nonisolated let traffic: Locked<Traffic>
    nonisolated let startNumber: Int?
    /// Resolved when the request of this installation's earlier object has ended.
    var predecessor: Promise<Void>?
    let services: IdentityServices
    let home: IdentityHomeReference
    var machine: IdentityStateMachine
    var callers: [Int: Caller] = [:]

    /// A caller that waits for the outcome of a call.
    struct Caller {
        let promise: Promise<IdentityOutcome>
        let policy: RetryPolicy?
        let trace: CallerTrace
        /// The tries so far; nil before the first one.
        var tries: Tries?
    }

    /// Makes a manager around a restored machine.
    ///
    /// - Parameters:
    ///   - installation: The manager's installation.
    ///   - machine: The restored machine; a request at the start has begun and holds the slot.
    ///   - start: The number of the request at the start, and its retry policy.
    ///   - refusedStart: The outcome of a request at the start that could not begin.
    ///   - predecessor: The request in progress of the object that this one replaces.
    ///   - home: The home that commits decisions.
    ///   - services: The services that all managers share.
    init(
        installation: InstallationID,
        machine: IdentityStateMachine,
        start: (number: Int, policy: RetryPolicy?)?,
        refusedStart: IdentityOutcome? = nil,
        after predecessor: Promise<Void>? = nil,
        home: IdentityHomeReference,
        services: IdentityServices
    ) {
        self.installation = installation
        self.machine = machine
        self.home = home
        self.services = services
        self.startNumber = start?.number
        self.predecessor = predecessor
        let started: Promise<IdentityOutcome>? = start != nil || refusedStart != nil ? Promise() : nil
        if let refusedStart { started?.resolve(refusedStart) }
        self.traffic = Locked(Traffic(start: started, underWay: predecessor))
        if let start, let started {
            self.callers[start.number] = Caller(promise: started, policy: start.policy, trace: .current)
        }
    }

    // MARK: - Calls

    /// Performs a call with checked arguments.
    func perform(_ call: IdentityCall, whenBusy: ConflictPolicy, retry: RetryPolicy?) async -> IdentityOutcome {
        guard self.services.lifecycle.acceptsCalls else { return .failed(.notRunning) }
        let now = self.services.time.milliseconds
        let before = self.machine.state
        switch self.machine.begin(call, mayWait: whenBusy != .refuse, now: now) {
        case .finish(let outcome):
            return self.saved(outcome, orRestore: before)
        case .start(let number):
            let promise = self.enlist(number, retry)
            self.submit(number)
            return await self.outcome(number, promise, waiting: nil)
        case .wait(let number):
            let promise = self.enlist(number, retry)
            // The end of the runtime refuses calls first and then stops the enlisted ones: one of the two meets this call.
            if !self.services.lifecycle.acceptsCalls { self.withdraw(number, with: .notRunning) }
            if case .wait(let limit) = whenBusy { return await self.outcome(number, promise, waiting: limit) }
            return await self.outcome(number, promise, waiting: nil)
        }
    }

    private func enlist(_ number: Int, _ retry: RetryPolicy?) -> Promise<IdentityOutcome> {
        let promise = Promise<IdentityOutcome>()
        self.enlist(number, promise, retry)
        return promise
    }

    func enlist(_ number: Int, _ promise: Promise<IdentityOutcome>, _ retry: RetryPolicy?) {
        self.services.active.insert(self)
        self.callers[number] = Caller(promise: promise, policy: retry, trace: .current)
    }

    /// Waits for the outcome in the task of the caller: until the runtime runs, the turn comes, and the answer arrives.
    private func outcome(
        _ number: Int,
        _ promise: Promise<IdentityOutcome>,
        waiting limit: Duration?
    ) async -> IdentityOutcome {
        let isRunning = self.services.lifecycle.stage == .running
        guard limit != nil || !isRunning else { return await self.answer(number, promise) }
        return await withTaskGroup(of: Void.self) { group in
            if let limit { group.addTask { await self.limitWaiting(number, limit) } }
            if !isRunning { group.addTask { await self.awaitRunning(number) } }
            let outcome = await self.answer(number, promise)
            group.cancelAll()
            return outcome
        }
    }

    private func answer(_ number: Int, _ promise: Promise<IdentityOutcome>) async -> IdentityOutcome {
        if let outcome = await promise.value() { return outcome }
        self.withdraw(number, with: .cancelled)
        // The outcome may have come in the same instant; then the caller gets it.
        return promise.current ?? .failed(.cancelled)
    }

    private func limitWaiting(_ number: Int, _ limit: Duration) async {
        // A cancelled wait means that the outcome has come.
        do { try await self.services.time.sleep(for: limit) } catch { return }
        guard self.machine.giveUpWaiting(number) else { return }
        self.settle(number, .failed(.requestInProgress))
    }

    private func awaitRunning(_ number: Int) async {
        let services = self.services
        let readiness = await services.lifecycle.readiness(within: services.requestTimeout, on: services.time)
        if readiness == .notRunning { self.withdraw(number, with: .notRunning) }
    }

    private func withdraw(_ number: Int, with error: SignetError) {
        switch self.machine.withdraw(number) {
        case .withdrawn(let next):
            self.settle(number, .failed(error))
            self.submit(next)
        case .detached, .ignore:
            break
        }
    }

    private func settle(_ number: Int, _ outcome: IdentityOutcome) {
        self.callers.removeValue(forKey: number)?.promise.resolve(outcome)
        self.leaveIfAnswered()
    }

    /// Leaves the active managers if no caller waits for an answer.
    func leaveIfAnswered() {
        guard self.callers.isEmpty else { return }
        self.services.active.remove(self)
        // A request at the start may just have been made; it sets the promise first, then inserts the manager.
        let started = self.traffic.withLock { $0.start }
        if let started, started.current == nil { self.services.active.insert(self) }
    }

    // MARK: - Requests

    /// Submits a call whose turn has come.
    func submit(_ number: Int?) {
        // The job retains the installation until its answer has been committed.
        guard let number else { return }
        guard let home = self.home.target else { return self.withdraw(number, with: .closed) }
        let trace = self.callers[number]?.trace ?? .none
        let isAccepted = self.services.jobs.submit(in: trace) { await self.exchange(number, home) }
        if !isAccepted { self.withdraw(number, with: .notRunning) }
    }

    func conclude(_ number: Int, _ outcome: IdentityOutcome) {
        let promise = self.callers[number]?.promise
        let isAwaited = promise != nil && promise !== self.traffic.withLock { $0.start }
        if case .failed(let error) = outcome, !isAwaited {
            self.services.observer.automaticIdentifyFailed(installation: self.installation, error: error)
        }
        self.settle(number, outcome)
    }

    /// Sends a push token that changed during another call.
    ///
    /// After a failure it waits for the next success, because nothing is retried without the caller's knowledge.
    func sendPushTokenIfNeeded(after outcome: IdentityOutcome) {
        if case .failed = outcome { return }
        self.beginPushTokenCall()
    }

    /// Sends a changed push token to the platform, unless a call that will do so is already in progress.
    func beginPushTokenCall() {
        guard self.machine.needsPushTokenCall else { return }
        switch self.machine.begin(.pushToken, mayWait: true, now: self.services.time.milliseconds) {
        case .start(let number):
            self.services.active.insert(self)
            self.submit(number)
        case .wait, .finish:
            break
        }
    }

    // MARK: - Ending

    /// The request in progress, for the object that replaces this one; nil if there is none.
    nonisolated var trafficToAwait: Promise<Void>? {
        self.traffic.withLock { $0.underWay.flatMap { $0.current == nil ? $0 : nil } }
    }

    /// Stops sending and committing, and fails all waiting callers.
    func stop(_ error: SignetError) {
        for number in self.machine.stop() { self.settle(number, .failed(error)) }
        self.traffic.withLock { $0.start }?.resolve(.failed(error))
        self.services.active.remove(self)
    }

    /// Waits until every call that has begun is answered, or the task is cancelled.
    func finishCalls() async {
        for (_, caller) in self.callers.sorted(by: { $0.key < $1.key }) { _ = await caller.promise.value() }
    }
}
