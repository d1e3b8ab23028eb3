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

    /// The request at the start.
    enum Start: Sendable {
        /// It has begun and holds the slot, or waits for it.
        case begun(Int, RetryPolicy?)
        /// It needs no request.
        case ended(IdentityOutcome)
    }

    nonisolated let traffic: Locked<Traffic>
    nonisolated let startNumber: Int?
    /// The installation, whose machine has the slot.
    nonisolated weak let core: InstallationCore?
    /// Resolved when the request of this installation's earlier object has ended, or a call that was withdrawn has released its slot.
    var predecessor: Promise<Void>?
    let active: ActiveManagers
    let context: RuntimeContext
    private(set) var callers: [Int: Caller] = [:]
    var pushTokens = PushTokenCalls()
    /// The slots in a shared store, by the number of the call.
    var leases: [Int: SlotLease] = [:]
    /// The uptime since which a call waits for another replica.
    var waitingSince: [Int: Duration] = [:]
    /// The waits of calls, each of which ends if its caller leaves.
    var waits: [Int: Promise<Void>] = [:]
    /// The slots in a shared store that withdrawn calls still have; the next call waits for them.
    var vacating: [Int: Promise<Void>] = [:]

    /// A caller that waits for the outcome of a call.
    struct Caller {
        let promise: Promise<IdentityOutcome>
        let policy: RetryPolicy?
        /// What the call does while another replica sends a request; nil for one of Signet's own.
        let whenBusy: ConflictPolicy?
        let trace: CallerTrace
        /// The tries so far; nil before the first one.
        var tries: Tries?
    }

    /// Makes the manager of an installation.
    ///
    /// - Parameters:
    ///   - core: The installation; not kept in memory.
    ///   - start: The request at the start, if any.
    ///   - predecessor: The request in progress of the object that this one replaces.
    init(of core: InstallationCore, start: Start? = nil, after predecessor: Promise<Void>? = nil) {
        self.core = core
        self.installation = core.id
        self.active = core.managers.active
        self.context = core.context
        self.predecessor = predecessor
        let started: Promise<IdentityOutcome>? = start == nil ? nil : Promise()
        self.traffic = Locked(Traffic(start: started, underWay: predecessor))
        switch start {
        case .begun(let number, let policy):
            self.startNumber = number
            if let started {
                self.callers[number] = Caller(promise: started, policy: policy, whenBusy: nil, trace: .current)
            }
        case .ended(let outcome):
            self.startNumber = nil
            started?.resolve(outcome)
        case nil:
            self.startNumber = nil
        }
    }

    // MARK: - Calls

    /// Checks a call of the app and performs it.
    ///
    /// - Throws: `invalidArgument`, `closed`; later errors are in the outcome.
    nonisolated func call(
        _ call: IdentityCall,
        _ whenBusy: ConflictPolicy,
        _ retry: RetryPolicy?
    ) async throws(SignetError) -> IdentityOutcome {
        try call.validate()
        try retry?.validate()
        guard self.core?.phase == .open else { throw .closed }
        return await self.perform(call, whenBusy: whenBusy, retry: retry)
    }

    private func perform(_ call: IdentityCall, whenBusy: ConflictPolicy, retry: RetryPolicy?) async -> IdentityOutcome {
        guard self.context.lifecycle.acceptsCalls else { return .failed(.hasEnded) }
        guard let core = self.core else { return .failed(.closed) }
        switch await self.begin(call, core, mayWait: whenBusy != .refuse) {
        case .finish(let outcome):
            return outcome
        case .start(let number):
            let promise = self.enlist(number, retry, whenBusy)
            self.submit(number)
            return await self.outcome(number, promise, waiting: nil)
        case .wait(let number):
            let promise = self.enlist(number, retry, whenBusy)
            // The end of the runtime refuses calls first and then stops the enlisted ones: one of the two meets this call.
            if !self.context.lifecycle.acceptsCalls { self.withdraw(number, with: .hasEnded) }
            if case .wait(let limit) = whenBusy { return await self.outcome(number, promise, waiting: limit) }
            return await self.outcome(number, promise, waiting: nil)
        }
    }

    private func enlist(
        _ number: Int,
        _ retry: RetryPolicy?,
        _ whenBusy: ConflictPolicy
    ) -> Promise<IdentityOutcome> {
        let promise = Promise<IdentityOutcome>()
        self.enlist(number, promise, retry, whenBusy)
        return promise
    }

    func enlist(
        _ number: Int,
        _ promise: Promise<IdentityOutcome>,
        _ retry: RetryPolicy?,
        _ whenBusy: ConflictPolicy? = nil
    ) {
        self.active.insert(self)
        self.callers[number] = Caller(promise: promise, policy: retry, whenBusy: whenBusy, trace: .current)
    }

    /// Waits for the outcome in the task of the caller: until the runtime runs, the turn comes, and the answer arrives.
    private func outcome(
        _ number: Int,
        _ promise: Promise<IdentityOutcome>,
        waiting limit: Duration?
    ) async -> IdentityOutcome {
        let isRunning = self.context.lifecycle.stage == .running
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
        do { try await self.context.time.sleep(for: limit) } catch { return }
        guard self.slot({ $0.giveUpWaiting(number) }) == true else { return }
        self.settle(number, .failed(.requestInProgress))
    }

    private func awaitRunning(_ number: Int) async {
        let context = self.context
        let readiness = await context.lifecycle.readiness(
            within: context.configuration.identity.requestTimeout,
            on: context.time
        )
        if readiness == .notRunning { self.withdraw(number, with: .notRunning) }
    }

    func withdraw(_ number: Int, with error: SignetError) {
        switch self.slot({ $0.withdraw(number) }) ?? .withdrawn(next: nil) {
        case .withdrawn(let next):
            self.vacate(number)
            self.settle(number, .failed(error))
            self.submit(next)
        case .detached, .ignore:
            break
        }
    }

    /// Notes the tries of a call.
    func note(_ tries: Tries, of number: Int) {
        self.callers[number]?.tries = tries
    }

    private func settle(_ number: Int, _ outcome: IdentityOutcome) {
        self.callers.removeValue(forKey: number)?.promise.resolve(outcome)
        self.endPushTokenCall(number, outcome)
        self.leaveIfAnswered()
    }

    /// Leaves the active managers if no caller waits for an answer.
    func leaveIfAnswered() {
        guard self.callers.isEmpty else { return }
        self.active.remove(self)
        // A request at the start may just have been made; it sets the promise first, then inserts the manager.
        let started = self.traffic.withLock { $0.start }
        if let started, started.current == nil { self.active.insert(self) }
    }

    /// Asks the machine of the slot; nil if the installation has left memory.
    func slot<Value>(_ ask: (inout IdentityStateMachine) -> Value) -> Value? {
        self.core?.store.update { ask(&$0.identity) }
    }

    // MARK: - Requests

    /// Submits a call whose turn has come.
    func submit(_ number: Int?) {
        // The job retains the installation until its answer has been committed.
        guard let number else { return }
        guard let core = self.core else { return self.withdraw(number, with: .closed) }
        let trace = self.callers[number]?.trace ?? .none
        let isAccepted = self.context.jobs.submit(in: trace) { await self.exchange(number, core) }
        if !isAccepted { self.withdraw(number, with: .notRunning) }
    }

    func conclude(_ number: Int, _ outcome: IdentityOutcome) {
        let promise = self.callers[number]?.promise
        let isAwaited = promise != nil && promise !== self.traffic.withLock { $0.start }
        // Before the caller resumes: its next open finds the pause.
        if promise != nil, !isAwaited { self.noteStart(outcome) }
        if let core = self.core {
            self.context.dueWork.identityAnswered(core.number, outcome)
            self.tellHealth(outcome)
        }
        if case .failed(let error) = outcome, !isAwaited {
            self.context.observer.automaticIdentifyFailed(installation: self.installation, error: error)
        }
        self.settle(number, outcome)
    }

    private func tellHealth(_ outcome: IdentityOutcome) {
        guard case .failed(let error) = outcome else { return self.context.health.identityAccepted() }
        self.context.health.identityFailed(self.installation, error)
        guard error.httpStatus != nil else { return }
        self.context.statistics.record { $0.identityRefusals[error.code, default: 0] += 1 }
    }

    // MARK: - Ending

    /// The request in progress, for the object that replaces this one; nil if there is none.
    nonisolated var trafficToAwait: Promise<Void>? {
        self.traffic.withLock { $0.underWay.flatMap { $0.current == nil ? $0 : nil } }
    }

    /// Stops sending and committing, and fails all waiting callers.
    func stop(_ error: SignetError) {
        for number in self.slot({ $0.stop() }) ?? Array(self.callers.keys) { self.settle(number, .failed(error)) }
        self.traffic.withLock { $0.start }?.resolve(.failed(error))
        self.active.remove(self)
    }

    /// Waits until every call that has begun is answered, or the task is cancelled.
    func finishCalls() async {
        for (_, caller) in self.callers.sorted(by: { $0.key < $1.key }) { _ = await caller.promise.value() }
    }
}
