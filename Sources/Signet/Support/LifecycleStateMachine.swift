// SPDX-License-Identifier: Apache-2.0

/// The stages of a runtime, from its creation to its end.
struct LifecycleStateMachine: Sendable {
    enum Stage: Sendable, Hashable {
        /// `run()` was not called yet. Can transition to `running` or `ended`.
        case idle
        /// `run()` runs. Can transition to `stopping` or `ended`.
        case running
        /// A shutdown runs: begun work finishes, new work is refused. Can transition to `ended`.
        case stopping
        /// Terminal.
        case ended
    }

    private(set) var stage: Stage = .idle

    /// The action of `run()`.
    enum RunAction: Equatable {
        case run
        case refuse(SignetError.Code)
    }

    /// Starts the runtime, or refuses a second or late call of `run()`.
    mutating func run() -> RunAction {
        switch self.stage {
        case .idle:
            self.stage = .running
            return .run
        case .running, .stopping:
            return .refuse(.alreadyRunning)
        case .ended:
            return .refuse(.notRunning)
        }
    }

    /// The action of a shutdown.
    enum ShutdownAction: Equatable {
        /// Deliver as much as possible, then end.
        case drain
        /// End at once: without `run()`, nothing can be delivered.
        case end
        /// Wait for the running shutdown.
        case join
        /// Return the report: the runtime has ended.
        case report
    }

    /// Begins a shutdown, or joins a running one.
    mutating func shutdown() -> ShutdownAction {
        switch self.stage {
        case .idle:
            self.stage = .ended
            return .end
        case .running:
            self.stage = .stopping
            return .drain
        case .stopping:
            return .join
        case .ended:
            return .report
        }
    }

    /// Refuses further calls: the end has begun.
    mutating func refuseCalls() {
        switch self.stage {
        case .running: self.stage = .stopping
        case .idle, .stopping, .ended: break
        }
    }

    /// Ends the runtime: `run()` is about to return, for any reason.
    mutating func end() {
        self.stage = .ended
    }
}
