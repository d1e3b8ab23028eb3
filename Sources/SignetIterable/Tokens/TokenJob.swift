// SPDX-License-Identifier: Apache-2.0

import Signet

/// The job that a user's machine waits for: asking the provider, or waking up later.
///
/// Releasing it cancels the job.
final class TokenJob: Sendable {
    private let calledOff = Promise<Void>()

    deinit {
        self.calledOff.resolve(())
    }

    /// The reason that a wait ended.
    enum End: Sendable, Hashable {
        case due
        case calledOff
        /// The task was cancelled: the runtime ends.
        case cancelled
    }

    /// Returns a wait that does not keep the job in memory.
    func wait(_ duration: Duration, on time: TimeSource) -> @Sendable () async -> End {
        let calledOff = self.calledOff
        return {
            let isCalledOff = await withTimeLimit(duration, on: time) { await calledOff.value().map { true } }
            if isCalledOff == true { return .calledOff }
            return Task.isCancelled ? .cancelled : .due
        }
    }
}
