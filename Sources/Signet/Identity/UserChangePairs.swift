// SPDX-License-Identifier: Apache-2.0

public import SignetModel

extension Updates where Element == UserChange {
    /// The changes as pairs of the previous and the current user.
    ///
    /// ```swift
    /// for await (old, new) in installation.userChanges().pairs {
    ///     guard let old, let new, old.mpid != new.mpid else { continue }
    ///     print("\(new.mpid) follows \(old.mpid)")
    /// }
    /// ```
    ///
    /// The pairs have the order of the changes. A reader more than 1024 changes behind loses the oldest
    /// (``UserChangePairs/droppedCount``); then `old` is not the `new` of the pair before. The pairs take over the
    /// subscription of this value: they begin with the first change after `userChanges()` was called.
    public var pairs: UserChangePairs {
        UserChangePairs(self)
    }
}

/// The user changes of an installation, or of all installations of a runtime, as pairs.
///
/// The pairs do not name their installation. Read ``Updates`` itself where a runtime's changes must be told apart.
public struct UserChangePairs: AsyncSequence, Sendable {
    /// The previous and the current user; ``UserChange`` says when one is nil.
    public typealias Element = (old: User?, new: User?)
    /// Never fails.
    public typealias Failure = Never

    private let changes: Updates<UserChange>

    init(_ changes: Updates<UserChange>) {
        self.changes = changes
    }

    /// The number of pairs that the first iterator lost because it was too slow.
    public var droppedCount: Int {
        self.changes.droppedCount
    }

    /// Makes an iterator; the first one takes over the buffered changes.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(changes: self.changes.makeAsyncIterator())
    }

    /// The position of one subscriber.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var changes: Updates<UserChange>.AsyncIterator

        /// Waits for the next pair; nil at the end, or if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            guard let change = await self.changes.next(isolation: actor) else { return nil }
            return (change.previous, change.current)
        }
    }
}
