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
        let goal: Wish
        do throws(SignetError) {
            goal = try self.aim()
        } catch {
            // Told when it was found.
            return false
        }
        switch await goal.progress.value() {
        case .reached, .paused: return true
        case .underWay, nil:
            self.abandon(goal)
            return false
        }
    }

    /// Somebody waits until everything so far was answered for, as far as a user is known.
    struct Wish: Sendable {
        /// The number of the goal.
        let goal: Int
        /// How it went: `underWay` when the queue has ended; nil when the task that waits was cancelled first.
        ///
        /// In hand, and not to be asked for: it may be there before anybody asks.
        let progress: Promise<UploadStateMachine.Progress>
    }

    /// Begins to wait.
    ///
    /// - Returns: What to wait for, or to give up with ``abandon(_:)``.
    /// - Throws: When the journal cannot be read: nobody knows what everything is.
    func aim() throws(SignetError) -> Wish {
        guard self.takeIn() else { throw self.readFailure ?? .unreadable }
        let goal = self.machine.aim(upTo: self.lastSequence)
        let waiter = Promise<UploadStateMachine.Progress>()
        if self.hasEnded { waiter.resolve(.underWay) }
        self.waiters[goal] = waiter
        self.services.ingress.wakeup.signal()
        return Wish(goal: goal, progress: waiter)
    }

    /// Nobody waits for a goal any more.
    ///
    /// - Returns: How many of its events have no answer.
    @discardableResult
    func abandon(_ wish: Wish) -> Int {
        let goal = wish.goal
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

extension SignetError {
    fileprivate static let unreadable = SignetError(
        .diskFailed,
        "The events on disk cannot be read; they stay there, and delivery goes on when they can."
    )
}
