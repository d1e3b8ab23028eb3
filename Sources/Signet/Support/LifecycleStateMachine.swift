//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Where a runtime is between being made and being over.
struct LifecycleStateMachine: Sendable {
    /// The stages.
    enum Stage: Sendable, Hashable {
        /// Nobody runs it yet. Can transition to `running` or `ended`.
        case idle
        /// `run()` is under way. Can transition to `stopping` or `ended`.
        case running
        /// A shutdown is under way: what was begun is finished, nothing new is taken. Can transition to `ended`.
        case stopping
        /// Terminal.
        case ended
    }

    private(set) var stage: Stage = .idle

    /// What `run()` is to do.
    enum RunAction: Equatable {
        case run
        case refuse(SignetError.Code)
    }

    /// Somebody calls `run()`.
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

    /// What a shutdown is to do.
    enum ShutdownAction: Equatable {
        /// Deliver what can be delivered, then end.
        case drain
        /// End at once: nobody runs it, so that nothing can be delivered.
        case end
        /// Wait for the shutdown that is under way.
        case join
        /// It is over.
        case report
    }

    /// Somebody asks for a shutdown.
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

    /// The end has begun.
    mutating func refuseCalls() {
        switch self.stage {
        case .running: self.stage = .stopping
        case .idle, .stopping, .ended: break
        }
    }

    /// `run()` is about to return, for whatever reason.
    mutating func end() {
        self.stage = .ended
    }
}
