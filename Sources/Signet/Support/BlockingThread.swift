// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The runtime's own thread for blocking work, such as a flush, so that the caller's executor stays free.
///
/// It performs one piece of work at a time, in the order of the calls.
struct BlockingThread: Sendable {
    private let queue = DispatchQueue(label: "signet-disk")

    /// Performs work and returns its result, even if the task is cancelled meanwhile.
    ///
    /// A task with its own task executor performs the work there.
    func perform<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        if Self.isTaskPlaced { return await Self.performByTask(work) }
        return await withCheckedContinuation { continuation in
            self.queue.async { continuation.resume(returning: work()) }
        }
    }

    /// True if the calling task has its own task executor.
    private static var isTaskPlaced: Bool {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
    }

    @concurrent
    private static func performByTask<Result: Sendable>(_ work: @Sendable () -> Result) async -> Result {
        work()
    }
}
