//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

/// Updates as it happens, from the moment this value was made: read the property, and you are subscribed.
///
/// The first iterator takes over what was buffered since the value was made; each further one begins when it is made.
/// Every subscriber sees every change from its subscription on, in order. One that lags behind by more than 1024 changes
/// loses the oldest, delays nobody, and can see it in ``droppedCount``. The subscription ends when the value and its
/// iterators are gone; the sequence ends after the last change of a shutdown.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
    /// Never fails.
    public typealias Failure = Never

    private let broadcast: Broadcast<Element>
    private let installation: InstallationID?
    private let first: Subscription<Element>
    private let isFirstTaken = Locked(false)

    /// Subscribes.
    init(_ broadcast: Broadcast<Element>, of installation: InstallationID?) {
        self.broadcast = broadcast
        self.installation = installation
        self.first = broadcast.subscribe(to: installation)
    }

    /// How many elements the first iterator lost because it was too slow.
    public var droppedCount: Int {
        self.first.droppedCount
    }

    /// Begins to iterate.
    public func makeAsyncIterator() -> AsyncIterator {
        let isFirst = self.isFirstTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        return AsyncIterator(
            subscription: isFirst ? self.first : self.broadcast.subscribe(to: self.installation)
        )
    }

    /// One subscriber's place.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let subscription: Subscription<Element>

        /// How many elements this iterator lost because it was too slow.
        public var droppedCount: Int {
            self.subscription.droppedCount
        }

        /// Waits for the next element; nil at the end, or when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await self.subscription.next()
        }
    }
}
