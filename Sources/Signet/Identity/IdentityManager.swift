//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

/// Runs the identity calls of one installation as its machine decides.
///
/// Requests are performed inside `run()`, not in the task of the caller: a caller who goes away does not lose the answer
/// for the installation.
actor IdentityManager {
    /// The installation, for reports.
    nonisolated let installation: InstallationID
    /// What is asked of it without waiting for the actor.
    struct Traffic {
        /// How the last request at the start ended; nil when none was asked for.
        var start: Promise<IdentityOutcome>?
        /// What is under way now, here or at a predecessor, for whoever takes the place of this object.
        var underWay: Promise<Void>?
    }

    nonisolated let traffic: Locked<Traffic>
    nonisolated let startNumber: Int?
    /// Resolved when the request that an earlier object of this installation had under way has ended.
    var predecessor: Promise<Void>?
    let services: IdentityServices
    let home: IdentityHomeReference
    var machine: IdentityStateMachine
    var callers: [Int: Caller] = [:]

    /// Who waits for the outcome of a call.
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
    ///   - installation: Whose.
    ///   - machine: Restored; when a request at the start is asked for, it has begun and holds the slot.
    ///   - start: The number of the request at the start, and how often to try it.
    ///   - refusedStart: How the request at the start has ended already, when it could not begin.
    ///   - predecessor: What the object whose place this one takes has under way.
    ///   - home: Where decisions go.
    ///   - services: What all managers share.
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

    /// Performs a call, arguments checked.
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
            // The end of the runtime refuses calls first and stops the enlisted then: one of the two meets this call.
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

    /// Waits for the outcome, in the task of the caller: for somebody to run the runtime, for the turn, for the answer.
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
        // The outcome may have come in the same instant; then the caller gets that.
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

    /// Nobody needs an answer of this manager any more.
    func leaveIfAnswered() {
        guard self.callers.isEmpty else { return }
        self.services.active.remove(self)
        // A request at the start may just have been asked for; its order is the promise first, then the insertion.
        let started = self.traffic.withLock { $0.start }
        if let started, started.current == nil { self.services.active.insert(self) }
    }

    // MARK: - Requests

    /// Has a call sent whose turn has come.
    func submit(_ number: Int?) {
        // The job keeps the installation in memory until its answer has been taken.
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

    /// A token that changed while another call was under way is told now; a failure waits for the next success, because
    /// nothing is retried behind the caller's back.
    func sendPushTokenIfNeeded(after outcome: IdentityOutcome) {
        if case .failed = outcome { return }
        self.beginPushTokenCall()
    }

    /// Tells the platform of a changed push token, unless a call that will is already under way.
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

    /// What is under way, for whoever takes the place of this object; nil when nothing is.
    nonisolated var trafficToAwait: Promise<Void>? {
        self.traffic.withLock { $0.underWay.flatMap { $0.current == nil ? $0 : nil } }
    }

    /// Nothing is sent or taken any more; every caller is answered.
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
