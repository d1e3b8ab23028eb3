//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Decides who flushes the disk for whom: one flush at a time, and each covers all who asked before it began.
struct GroupCommitStateMachine<Waiter: Sendable>: Sendable {
    private enum State: Sendable {
        /// Nobody flushes. Can transition to `led`.
        case idle
        /// Somebody was told to flush, and has not begun. Can transition to `flushing`.
        case led
        /// Somebody flushes for those who had asked when it began. Can transition to `led` or `idle`.
        case flushing(covered: [Waiter])
    }

    /// What an end of a flush means.
    enum Finish: Sendable {
        /// Tell them how it ended.
        case tell([Waiter])
        /// Tell the first ones how it ended, and the last one to flush next.
        case handOver([Waiter], leader: Waiter)
    }

    private var state = State.idle
    /// Those who asked since the flush that is under way began, oldest first.
    private var waiting: [Waiter] = []

    /// Somebody wants a flush that begins from now on.
    ///
    /// - Returns: Whether to flush oneself; otherwise another does, and `wait` is to be called next, under the same lock.
    mutating func join() -> Bool {
        guard case .idle = self.state else { return false }
        self.state = .led
        return true
    }

    /// Who does not flush oneself is told later.
    mutating func wait(_ waiter: Waiter) {
        self.waiting.append(waiter)
    }

    /// The flush begins: it covers all who wait now.
    mutating func begin() {
        self.state = .flushing(covered: self.waiting)
        self.waiting = []
    }

    /// The flush has ended.
    ///
    /// Whoever asked meanwhile needs another one: the oldest of them does it, so that nobody flushes for ever.
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
