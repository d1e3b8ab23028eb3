//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

/// Groups tasks that wait until what they wrote survives a loss of power: one flush for all who came before it began.
///
/// The flush blocks the thread of one of the tasks that ask for it, for as long as the disk takes; the others are
/// suspended.
final class SyncGate: Sendable {
    /// What a task that waited learns.
    private enum Turn: Sendable {
        case flushed(Result<Void, SignetError>)
        case lead
    }

    private typealias Waiter = CheckedContinuation<Turn, Never>

    private let state = Locked(SyncStateMachine<Waiter>())
    private let flush: @Sendable () throws(SignetError) -> Void

    /// Makes a gate.
    ///
    /// - Parameter flush: Makes everything that was written survive a loss of power.
    init(flush: @escaping @Sendable () throws(SignetError) -> Void) {
        self.flush = flush
    }

    /// Waits for a flush that began after this call.
    ///
    /// A cancelled task waits all the same: a flush is short, and somebody has to lead it.
    func sync() async throws(SignetError) {
        if self.state.withLock({ $0.join() }) { return try self.lead() }
        let turn = await withCheckedContinuation { continuation in
            // Whoever led may have ended since: then it is this task's turn.
            let isLeader = self.state.withLock { state in
                if state.join() { return true }
                state.wait(continuation)
                return false
            }
            if isLeader { continuation.resume(returning: .lead) }
        }
        switch turn {
        case .flushed(let result): try result.get()
        case .lead: try self.lead()
        }
    }

    private func lead() throws(SignetError) {
        self.state.withLock { $0.begin() }
        let result: Result<Void, SignetError>
        do throws(SignetError) {
            try self.flush()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        switch self.state.withLock({ $0.finish() }) {
        case .tell(let covered):
            for waiter in covered { waiter.resume(returning: .flushed(result)) }
        case .handOver(let covered, let leader):
            leader.resume(returning: .lead)
            for waiter in covered { waiter.resume(returning: .flushed(result)) }
        }
        try result.get()
    }
}
