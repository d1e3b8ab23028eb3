//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

/// The stage of a runtime, for all who must know whether their request can still be performed.
final class RuntimeLifecycle: Sendable {
    /// Whether a call may go to the network.
    enum Readiness: Sendable, Hashable {
        case ready
        case notRunning
        case cancelled
    }

    private let machine = Locked(LifecycleStateMachine())
    private let started = Promise<Bool>()
    private let ended = Promise<ShutdownReport>()

    /// The stage now.
    var stage: LifecycleStateMachine.Stage {
        self.machine.withLock { $0.stage }
    }

    /// Whether calls that need the network are taken: not once a shutdown has begun.
    var acceptsCalls: Bool {
        switch self.stage {
        case .idle, .running: true
        case .stopping, .ended: false
        }
    }

    /// Somebody calls `run()`.
    func run() -> LifecycleStateMachine.RunAction {
        let action = self.machine.withLock { $0.run() }
        if action == .run { self.started.resolve(true) }
        return action
    }

    /// Somebody asks for a shutdown.
    func shutdown() -> LifecycleStateMachine.ShutdownAction {
        self.machine.withLock { $0.shutdown() }
    }

    /// The end has begun, in order or not: calls are refused from now on.
    func refuseCalls() {
        self.machine.withLock { $0.refuseCalls() }
    }

    /// The runtime is over.
    ///
    /// - Parameter report: What every shutdown call returns from now on, unless one was given before.
    func end(_ report: ShutdownReport) {
        self.machine.withLock { $0.end() }
        self.started.resolve(false)
        self.ended.resolve(report)
    }

    /// What was left, once the runtime is over.
    var report: ShutdownReport? {
        self.ended.current
    }

    /// Waits for the end.
    ///
    /// - Returns: What was left; nil when the task was cancelled first.
    func untilEnded() async -> ShutdownReport? {
        await self.ended.value()
    }
    /// Waits until somebody runs the runtime.
    ///
    /// - Parameters:
    ///   - limit: How long to wait.
    ///   - time: The clock.
    /// - Returns: Whether requests are performed now.
    func readiness(within limit: Duration, on time: TimeSource) async -> Readiness {
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
