// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// The stage of a runtime, for all callers that need to know if a request can still be performed.
package final class RuntimeLifecycle: Sendable {
    /// The readiness of the runtime for a call to the network.
    package enum Readiness: Sendable, Hashable {
        case ready
        case notRunning
        case cancelled
    }

    private let machine = Locked(LifecycleStateMachine())
    private let started = Promise<Bool>()
    private let ended = Promise<ShutdownReport>()

    var stage: LifecycleStateMachine.Stage {
        self.machine.withLock { $0.stage }
    }

    /// True until a shutdown begins; then calls that need the network are refused.
    package var acceptsCalls: Bool {
        switch self.stage {
        case .idle, .running: true
        case .stopping, .ended: false
        }
    }

    /// The error of a call for which the runtime does not run, or not any more.
    package var refusal: SignetError {
        self.acceptsCalls ? .notRunning : .hasEnded
    }

    /// Starts the runtime for `run()`, and resumes callers that wait for it.
    func run() -> LifecycleStateMachine.RunAction {
        let action = self.machine.withLock { $0.run() }
        if action == .run { self.started.resolve(true) }
        return action
    }

    /// Begins a shutdown, or joins a running one.
    func shutdown() -> LifecycleStateMachine.ShutdownAction {
        self.machine.withLock { $0.shutdown() }
    }

    /// Refuses calls from now on: the end has begun, by a shutdown or not.
    func refuseCalls() {
        self.machine.withLock { $0.refuseCalls() }
    }

    /// Ends the runtime.
    ///
    /// - Parameter report: The report that every shutdown call returns from now on, unless an earlier one is set.
    func end(_ report: ShutdownReport) {
        self.machine.withLock { $0.end() }
        self.started.resolve(false)
        self.ended.resolve(report)
    }

    /// The shutdown report; nil until the runtime ends.
    var report: ShutdownReport? {
        self.ended.current
    }

    /// Waits for the end.
    ///
    /// - Returns: The shutdown report; nil if the task was cancelled first.
    func untilEnded() async -> ShutdownReport? {
        await self.ended.value()
    }
    /// Waits until `run()` is called.
    ///
    /// - Parameters:
    ///   - limit: The maximum wait.
    ///   - time: The clock.
    /// - Returns: `ready` if requests are performed now; otherwise the reason.
    package func readiness(within limit: Duration, on time: TimeSource) async -> Readiness {
        switch self.stage {
        case .running:
            return .ready
        case .stopping, .ended:
            return .notRunning
        case .idle:
            let started = self.started
            let isStarted = await withTimeLimit(limit, on: time) { await started.value() }
            if isStarted == true { return .ready }
            return Task.isCancelled ? .cancelled : .notRunning
        }
    }
}
