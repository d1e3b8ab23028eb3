// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

/// A sequence of updates from the moment this value was made: the call that returns it subscribes.
///
/// The first iterator takes over the updates buffered since then; each further iterator subscribes when it is made.
/// Every subscriber gets every update from its subscription on, in order. A subscriber more than 1024 updates behind
/// loses the oldest and delays no other; ``droppedCount`` shows the loss. The subscription ends when the value and its
/// iterators are gone; the sequence ends after the last update of a shutdown.
///
/// In a `ServiceGroup`, read it with `UpdatesService` (trait `ServiceLifecycleSupport`). A loop of your own in `run()`
/// ends with the runtime, before its service may: the group takes that for an error.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
    /// Never fails.
    public typealias Failure = Never

    private let broadcast: Broadcast<Element>
    private let installation: InstallationID?
    private let first: Subscription<Element>
    private let isFirstTaken = Locked(false)
    /// Reads on for a service that ends before the runtime; nil outside of one.
    let unfinished: UnfinishedReaders?

    /// Subscribes.
    package init(
        _ broadcast: Broadcast<Element>,
        of installation: InstallationID?,
        unfinished: UnfinishedReaders? = nil
    ) {
        self.broadcast = broadcast
        self.installation = installation
        self.unfinished = unfinished
        self.first = broadcast.subscribe(to: installation)
    }

    /// The number of elements that the first iterator lost because it was too slow.
    public var droppedCount: Int {
        self.first.droppedCount
    }

    /// Makes an iterator; the first one takes over the buffered updates.
    public func makeAsyncIterator() -> AsyncIterator {
        let isFirst = self.isFirstTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        return AsyncIterator(
            subscription: isFirst ? self.first : self.broadcast.subscribe(to: self.installation)
        )
    }

    /// The position of one subscriber.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let subscription: Subscription<Element>

        /// The number of elements that this iterator lost because it was too slow.
        public var droppedCount: Int {
            self.subscription.droppedCount
        }

        /// Waits for the next element; nil at the end, or if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await self.subscription.next()
        }
    }
}

extension Updates: CustomStringConvertible {
    /// The type in one word, such as `Updates<UserChange>`: a group logs its services with all that they hold.
    public var description: String {
        "Updates<\(Element.self)>"
    }
}
