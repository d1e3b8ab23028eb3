// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Runs the tasks of the replay one after another, in the order in which they become ready, and tells when none is.
///
/// Then everybody waits for the clock, which may move: this is what makes each replay the same as the last.
final class SettlingExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "quickstart")
    private let enqueued = Atomic(0)
    private let performed = Atomic(0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.enqueued.add(1, ordering: .sequentiallyConsistent)
        self.queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.performed.add(1, ordering: .sequentiallyConsistent)
        }
    }

    /// Waits until nobody can go on without the clock.
    func settled() async {
        await withCheckedContinuation { self.resumeWhenIdle($0) }
    }

    // What runs on the queue can only add to its end: behind all that was ready, ask whether it made something else ready.
    private func resumeWhenIdle(_ continuation: CheckedContinuation<Void, Never>) {
        self.queue.async {
            let performed = self.performed.load(ordering: .sequentiallyConsistent)
            if performed == self.enqueued.load(ordering: .sequentiallyConsistent) {
                continuation.resume()
            } else {
                self.resumeWhenIdle(continuation)
            }
        }
    }
}
