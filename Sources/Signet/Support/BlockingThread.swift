//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Dispatch

/// A thread of the runtime's own for work that blocks, such as a flush: the executor of whoever asks for it goes on.
///
/// One piece of work at a time, in the order in which it was asked for.
struct BlockingThread: Sendable {
    private let queue = DispatchQueue(label: "signet-disk")

    /// Does some work and returns what it returns, also when the task is cancelled meanwhile.
    ///
    /// A task that was given an executor of its own has all its work done there, and this too.
    func perform<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        if Self.isTaskPlaced { return await Self.performByTask(work) }
        return await withCheckedContinuation { continuation in
            self.queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Whether the task that asks was given an executor.
    private static var isTaskPlaced: Bool {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
    }

    @concurrent
    private static func performByTask<Result: Sendable>(_ work: @Sendable () -> Result) async -> Result {
        work()
    }
}
