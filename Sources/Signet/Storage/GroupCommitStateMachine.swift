// SPDX-License-Identifier: Apache-2.0

/// Decides which task flushes the disk: one flush at a time, and each covers all tasks that asked before it began.
struct GroupCommitStateMachine<Waiter: Sendable>: Sendable {
    private enum State: Sendable {
        /// There is no flush. Can transition to `led`.
        case idle
        /// A task is to flush, and has not begun. Can transition to `flushing`.
        case led
        /// A task flushes for those that had asked when it began. Can transition to `led` or `idle`.
        case flushing(covered: [Waiter])
    }

    /// The tasks to resume at the end of a flush.
    enum Finish: Sendable {
        /// Resume them with the result.
        case tell([Waiter])
        /// Resume the first ones with the result, and the last one to flush next.
        case handOver([Waiter], leader: Waiter)
    }

    private var state = State.idle
    /// The tasks that asked since the current flush began, oldest first.
    private var waiting: [Waiter] = []

    /// Requests a flush that begins from now on.
    ///
    /// - Returns: True if the caller must flush. Otherwise another does; call `wait` next, under the same lock.
    mutating func join() -> Bool {
        guard case .idle = self.state else { return false }
        self.state = .led
        return true
    }

    /// Adds a task that does not flush itself.
    mutating func wait(_ waiter: Waiter) {
        self.waiting.append(waiter)
    }

    /// Begins the flush, which covers all tasks that wait now.
    mutating func begin() {
        self.state = .flushing(covered: self.waiting)
        self.waiting = []
    }

    /// Ends the flush.
    ///
    /// Tasks that asked meanwhile need another flush. The oldest of them does it, so that no task flushes forever.
    mutating func finish() -> Finish {
        guard case .flushing(let covered) = self.state else { return .tell([]) }
        guard !self.waiting.isEmpty else {
            self.state = .idle
            return .tell(covered)
        }
        self.state = .led
        return .handOver(covered, leader: self.waiting.removeFirst())
    }
}
