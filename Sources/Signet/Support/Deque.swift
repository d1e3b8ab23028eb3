//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Elements in the order they came; taking one costs the same however many wait.
struct Deque<Element> {
    private var elements: [Element] = []
    /// Index of the first one; the array is compacted when half of it has gone.
    private var head = 0

    /// Whether nothing waits.
    var isEmpty: Bool {
        self.head == self.elements.count
    }

    /// How many wait.
    var count: Int {
        self.elements.count - self.head
    }

    /// The one that came first.
    var first: Element? {
        self.isEmpty ? nil : self.elements[self.head]
    }

    /// Adds one at the end.
    mutating func append(_ element: Element) {
        self.elements.append(element)
    }

    /// Takes the one that came first.
    mutating func popFirst() -> Element? {
        guard let first = self.first else { return nil }
        self.head += 1
        if self.head == self.elements.count {
            self.elements.removeAll(keepingCapacity: self.head < 1024)
            self.head = 0
        } else if self.head >= 1024, self.head * 2 > self.elements.count {
            self.elements.removeFirst(self.head)
            self.head = 0
        }
        return first
    }
}

extension Deque: Sendable where Element: Sendable {}
