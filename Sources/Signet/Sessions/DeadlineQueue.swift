//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Deadlines of any number of holders, soonest first; equal ones in the order they came.
struct DeadlineQueue<Holder> {
    fileprivate struct Item {
        let deadline: Duration
        let order: Int
        let holder: Holder

        func isBefore(_ other: Item) -> Bool {
            self.deadline != other.deadline ? self.deadline < other.deadline : self.order < other.order
        }
    }

    /// A binary heap: the parent of `i` is `(i - 1) / 2`.
    private var items: [Item] = []
    private var nextOrder = 0

    /// The soonest deadline.
    var first: Duration? {
        self.items.first?.deadline
    }

    /// How many there are.
    var count: Int {
        self.items.count
    }

    /// Adds a deadline.
    mutating func insert(_ holder: Holder, at deadline: Duration) {
        self.items.append(Item(deadline: deadline, order: self.nextOrder, holder: holder))
        self.nextOrder += 1
        var child = self.items.count - 1
        while child > 0, self.items[child].isBefore(self.items[(child - 1) / 2]) {
            self.items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes the soonest one, whether its time has come or not.
    mutating func popFirst() -> Holder? {
        self.first.flatMap { self.popDue(at: $0) }
    }

    /// Takes the soonest one whose time has come.
    mutating func popDue(at now: Duration) -> Holder? {
        guard let first = self.items.first, first.deadline <= now else { return nil }
        let last = self.items.removeLast()
        guard !self.items.isEmpty else { return first.holder }
        self.items[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < self.items.count && self.items[child].isBefore(self.items[least]) {
                least = child
            }
            guard least != parent else { return first.holder }
            self.items.swapAt(parent, least)
            parent = least
        }
    }
}

extension DeadlineQueue: Sendable where Holder: Sendable {}

extension DeadlineQueue.Item: Sendable where Holder: Sendable {}
