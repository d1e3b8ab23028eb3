//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

extension EventQueue {
    /// Sends everything that has been logged so far and can be sent now.
    ///
    /// Returns when nothing is left, when there is a pause, or when a task is cancelled: this one or that of `run`.
    ///
    /// - Returns: Whether everything was sent that could be; false after a cancellation.
    func drain() async -> Bool {
        guard self.takeIn() || self.isRestored else { return false }
        let goal = self.aim()
        switch await self.progress(of: goal) {
        case .reached, .paused: return true
        case .underWay, nil:
            self.abandon(goal)
            return false
        }
    }

    /// Begins to wait until everything so far was answered for, as far as a user is known.
    ///
    /// - Returns: A number for ``progress(of:)`` and ``abandon(_:)``.
    func aim() -> Int {
        // Unreadable now: what was taken in before counts, the rest is found later.
        _ = self.takeIn()
        let goal = self.machine.aim(upTo: self.lastSequence)
        let waiter = Promise<UploadStateMachine.Progress>()
        if self.hasEnded { waiter.resolve(.underWay) }
        self.waiters[goal] = waiter
        self.services.intake.wakeup.signal()
        return goal
    }

    /// Waits for a goal.
    ///
    /// - Returns: `underWay` when the queue has ended; nil when the task was cancelled first.
    func progress(of goal: Int) async -> UploadStateMachine.Progress? {
        await self.waiters[goal]?.value()
    }

    /// Nobody waits for a goal any more.
    ///
    /// - Returns: How many of its events have no answer.
    @discardableResult
    func abandon(_ goal: Int) -> Int {
        let left = self.machine.left(of: goal)
        self.machine.goals.remove(goal)
        self.waiters[goal] = nil
        return left
    }

    /// Events that wait for the first user of their installation.
    var eventsWithoutUser: Int {
        self.machine.orphanCount
    }

    /// Answers those whose goal is reached, or cannot be now.
    func tellWaiters() {
        // Who asked first is answered first.
        for (goal, waiter) in self.waiters.sorted(by: { $0.key < $1.key }) {
            let progress = self.machine.progress(of: goal, now: self.now)
            guard progress != .underWay else { continue }
            self.waiters[goal] = nil
            self.machine.goals.remove(goal)
            waiter.resolve(progress)
        }
    }
}
