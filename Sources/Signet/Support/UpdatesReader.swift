// SPDX-License-Identifier: Apache-2.0

/// Reads updates for a service, which may have to end before the updates do.
final class UpdatesReader<Element: Sendable>: Sendable {
    /// The reason for the end of a reading.
    enum End: Sendable, Hashable {
        /// The last update was read.
        case finished
        /// The service must end; more updates may come.
        case interrupted
        /// The task was cancelled: the rest is not read.
        case cancelled
    }

    private let subscription: Subscription<Element>
    private let unfinished: UnfinishedReaders?
    private let body: @Sendable (Element) async -> Void

    /// Takes over the updates that are buffered.
    ///
    /// - Parameters:
    ///   - updates: The updates.
    ///   - body: Handles an update; called for one after the other.
    init(_ updates: Updates<Element>, _ body: @escaping @Sendable (Element) async -> Void) {
        self.subscription = updates.makeAsyncIterator().subscription
        self.unfinished = updates.unfinished
        self.body = body
    }

    /// Reads until the end of the updates, an interruption, or the cancellation of the task.
    func read() async -> End {
        while let element = await self.subscription.next() { await self.body(element) }
        if self.subscription.hasEnded { return .finished }
        return Task.isCancelled ? .cancelled : .interrupted
    }

    /// Ends ``read()`` after its current update; nothing is lost.
    func interrupt() {
        self.subscription.interrupt()
    }

    /// Leaves the rest of an interrupted reading to the run of the runtime.
    ///
    /// If the runtime does not run, this reads what is buffered, and nothing follows.
    func leaveRest() async {
        self.subscription.resume()
        if self.unfinished?.take({ _ = await self.read() }) == true { return }
        self.subscription.finish()
        _ = await self.read()
    }
}
