// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Reads on in the run of the runtime for services that had to end before it.
///
/// A service group shuts its services down one after the other. A reader that is asked before the runtime must return, else
/// the runtime is never asked. What the runtime still does would be lost to it.
package final class UnfinishedReaders: Sendable {
    /// Reads a sequence to its end.
    package typealias Reading = @Sendable () async -> Void

    /// Takes readers over; nil until the runtime runs.
    private let readers = Locked<AsyncStream<Reading>.Continuation?>(nil)

    package init() {}

    /// Takes over a reader whose service ends now.
    ///
    /// - Parameter read: Reads to the end of its sequence; runs as a child of the run of the runtime.
    /// - Returns: False if the runtime does not run; then nothing is read.
    func take(_ read: @escaping Reading) -> Bool {
        guard let readers = self.readers.withLock({ $0 }), case .enqueued = readers.yield(read) else { return false }
        return true
    }

    /// Reads on with those that are taken over, until the body has returned and their sequences have ended.
    ///
    /// The cancellation of the task ends them at once.
    ///
    /// - Parameter body: Runs the runtime, and ends all sequences.
    func readOn(during body: () async -> Void) async {
        let (stream, continuation) = AsyncStream.makeStream(of: Reading.self)
        self.readers.withLock { $0 = continuation }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await withDiscardingTaskGroup { readers in
                    for await read in stream { readers.addTask { await read() } }
                }
            }
            await body()
            continuation.finish()
        }
    }
}
