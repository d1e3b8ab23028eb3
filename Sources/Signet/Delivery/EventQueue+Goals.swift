// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension EventQueue {
    /// Sends all events that have been logged so far and can be sent now.
    ///
    /// Returns when nothing is left, when there is a pause, or when a task is cancelled: this one or that of `run`.
    ///
    /// - Returns: True if all events were sent that could be; false after a cancellation.
    func drain() async -> Bool {
        let goal: Wish
        do throws(SignetError) {
            goal = try self.aim()
        } catch {
            // Reported when it was found.
            return false
        }
        switch await goal.progress.value() {
        case .reached, .paused: return true
        case .underWay, nil:
            self.abandon(goal)
            return false
        }
    }

    /// A wait until all events so far are answered for, except those without a known user.
    struct Wish: Sendable {
        /// The number of the goal.
        let goal: Int
        /// The outcome: `underWay` if the queue has ended; nil if the waiting task was cancelled first.
        ///
        /// The promise is part of the value, because it may resolve before a caller awaits it.
        let progress: Promise<UploadStateMachine.Progress>
    }

    /// Begins to wait.
    ///
    /// - Returns: The wait, to be awaited or given up with ``abandon(_:)``.
    /// - Throws: An error if the journal cannot be read: the last event is then unknown.
    func aim() throws(SignetError) -> Wish {
        guard self.takeIn() else { throw self.readFailure ?? .unreadable }
        let goal = self.machine.aim(upTo: self.lastSequence)
        let waiter = Promise<UploadStateMachine.Progress>()
        if self.hasEnded { waiter.resolve(.underWay) }
        self.waiters[goal] = waiter
        self.services.ingress.wakeup.signal()
        return Wish(goal: goal, progress: waiter)
    }

    /// Gives up a wait.
    ///
    /// - Returns: The number of its events without an answer.
    @discardableResult
    func abandon(_ wish: Wish) -> Int {
        let goal = wish.goal
        let left = self.machine.left(of: goal)
        self.machine.goals.remove(goal)
        self.waiters[goal] = nil
        return left
    }

    /// The number of events that wait for the first user of their installation.
    var eventsWithoutUser: Int {
        self.machine.anonymousCount
    }

    /// Resolves the waits whose goal is reached, or cannot be reached now.
    func resumeWaiters() {
        // Waits resolve in the order in which they began.
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
        "The events on disk cannot be read. They stay there, and delivery continues when the disk works."
    )
}
