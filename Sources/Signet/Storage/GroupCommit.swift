// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Groups tasks that wait until their writes survive a loss of power: one flush serves all that came before it began.
///
/// The flush blocks the thread of the flushes for as long as the disk takes. All tasks that wait for it are suspended.
final class GroupCommit: Sendable {
    /// The signal to a waiting task.
    private enum Turn: Sendable {
        case flushed(Result<Void, SignetError>)
        case lead
    }

    private typealias Waiter = CheckedContinuation<Turn, Never>

    private let state = Locked(GroupCommitStateMachine<Waiter>())
    private let thread: BlockingThread
    private let flush: @Sendable () throws(SignetError) -> Void

    /// Makes a gate.
    ///
    /// - Parameters:
    ///   - thread: The thread of the flushes.
    ///   - flush: Makes everything that was written survive a loss of power.
    init(
        on thread: BlockingThread = BlockingThread(),
        flush: @escaping @Sendable () throws(SignetError) -> Void
    ) {
        (self.thread, self.flush) = (thread, flush)
    }

    /// Waits for a flush that began after this call.
    ///
    /// A cancelled task waits all the same: a flush is short, and one task has to lead it.
    func sync() async throws(SignetError) {
        if self.state.withLock({ $0.join() }) { return try await self.lead() }
        let turn = await withCheckedContinuation { continuation in
            // The leader may have finished since: then it is this task's turn.
            let isLeader = self.state.withLock { state in
                if state.join() { return true }
                state.wait(continuation)
                return false
            }
            if isLeader { continuation.resume(returning: .lead) }
        }
        switch turn {
        case .flushed(let result): try result.get()
        case .lead: try await self.lead()
        }
    }

    private func lead() async throws(SignetError) {
        let result = await self.thread.perform { [state, flush] in
            // Callers that join before the thread gets here are covered too.
            state.withLock { $0.begin() }
            return Result { () throws(SignetError) in try flush() }
        }
        switch self.state.withLock({ $0.finish() }) {
        case .tell(let covered):
            for waiter in covered { waiter.resume(returning: .flushed(result)) }
        case .handOver(let covered, let leader):
            // The next leader is last: those who write again at once wait for the same flush, and not for the one after it.
            for waiter in covered { waiter.resume(returning: .flushed(result)) }
            leader.resume(returning: .lead)
        }
        try result.get()
    }
}
