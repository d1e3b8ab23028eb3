// SPDX-License-Identifier: Apache-2.0

/// A queue of deadlines and their holders, earliest first; equal deadlines keep their order of arrival.
struct DeadlineQueue<Holder> {
    fileprivate struct Item {
        let deadline: Duration
        /// The holder; nil once it was taken.
        var holder: Holder?
    }

    /// The deadlines of one second.
    fileprivate struct Second {
        /// In order of arrival until one is taken; then sorted.
        private var items: [Item] = []
        private var isSorted = true
        /// The index of the first item that is not taken yet.
        private var head = 0
        /// The earliest deadline that is left.
        private(set) var first: Duration?

        mutating func insert(_ item: Item) {
            if let last = self.items.last, item.deadline < last.deadline { self.isSorted = false }
            self.items.append(item)
            self.first = self.first.map { min($0, item.deadline) } ?? item.deadline
        }

        mutating func popFirst() -> Holder? {
            if !self.isSorted {
                self.items.removeFirst(self.head)
                self.head = 0
                // Stable: equal deadlines keep their order of arrival. The items are mostly sorted already; then this costs one
                // comparison each.
                self.items.sort { $0.deadline < $1.deadline }
                self.isSorted = true
            }
            guard self.head < self.items.count else { return nil }
            defer {
                self.head += 1
                self.first = self.head < self.items.count ? self.items[self.head].deadline : nil
            }
            return self.items[self.head].holder.take()
        }
    }

    /// Deadlines beyond the range of Int64 seconds share the last second.
    private static var endOfTime: Duration { .seconds(Int64.max) }

    private var seconds: [Int64: Second] = [:]
    /// The seconds that have deadlines, the earliest last.
    private var keys: [Int64] = []
    /// The number of deadlines.
    private(set) var count = 0

    /// The earliest deadline.
    var first: Duration? {
        self.keys.last.flatMap { self.seconds[$0]?.first }
    }

    /// Adds a deadline.
    mutating func insert(_ holder: Holder, at deadline: Duration) {
        let key = min(deadline, Self.endOfTime).components.seconds
        if self.seconds[key] == nil {
            var low = 0
            var high = self.keys.count
            while low < high {
                let middle = (low + high) / 2
                if self.keys[middle] > key { low = middle + 1 } else { high = middle }
            }
            self.keys.insert(key, at: low)
        }
        self.seconds[key, default: Second()].insert(Item(deadline: deadline, holder: holder))
        self.count += 1
    }

    /// Takes the holder with the earliest deadline, whether it is due or not.
    mutating func popFirst() -> Holder? {
        guard let key = self.keys.last, let holder = self.seconds[key]?.popFirst() else { return nil }
        self.count -= 1
        if self.seconds[key]?.first == nil {
            self.seconds[key] = nil
            self.keys.removeLast()
        }
        return holder
    }

    /// Takes the holder with the earliest deadline if it is due.
    mutating func popDue(at now: Duration) -> Holder? {
        guard let first = self.first, first <= now else { return nil }
        return self.popFirst()
    }
}

extension DeadlineQueue: Sendable where Holder: Sendable {}

extension DeadlineQueue.Item: Sendable where Holder: Sendable {}

extension DeadlineQueue.Second: Sendable where Holder: Sendable {}
