// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SignetLock

/// A thread of the runtime for work that blocks, such as a flush, so that the caller's executor stays free.
///
/// It performs one piece of work at a time, in the order of the calls. Work must not wait for other work of the thread.
final class BlockingThread: Sendable {
    private enum Place: Sendable {
        case queue(DispatchQueue)
        /// The lock lets one piece of work go on at a time.
        case callingTask(Locked<Void>)
    }

    private let place: Place

    /// Makes a thread.
    ///
    /// - Parameters:
    ///   - work: The place of the work; a task's own executor does not change it.
    ///   - label: The name of the thread, for debuggers.
    init(_ work: DiskWork = .ownThread, label: String = "signet-disk") {
        self.place =
            switch work {
            case .ownThread: .queue(DispatchQueue(label: label))
            case .callingTask: .callingTask(Locked(()))
            }
    }

    /// Performs work and returns its result, even if the task is cancelled meanwhile.
    func perform<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        switch self.place {
        case .queue(let queue):
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: work()) }
            }
        case .callingTask(let turn):
            await Self.performByTask(turn, work)
        }
    }

    @concurrent
    private static func performByTask<Result: Sendable>(
        _ turn: Locked<Void>,
        _ work: @Sendable () -> Result
    ) async -> Result {
        turn.withLock { _ in work() }
    }

    /// Takes work without a waiting caller; nil if there is no thread of its own, and the caller does it.
    var aside: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)? {
        guard case .queue(let queue) = self.place else { return nil }
        return { queue.async(execute: $0) }
    }
}
