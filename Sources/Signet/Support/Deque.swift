// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out queue; the cost of taking an element does not depend on the count.
package struct Deque<Element> {
    private var elements: [Element] = []
    /// The index of the first element; the array is compacted after half of it was taken.
    private var head = 0

    package init() {}

    package var isEmpty: Bool {
        self.head == self.elements.count
    }

    package var count: Int {
        self.elements.count - self.head
    }

    package var first: Element? {
        self.isEmpty ? nil : self.elements[self.head]
    }

    /// Returns the first elements.
    package func prefix(_ count: Int) -> ArraySlice<Element> {
        self.elements[self.head...].prefix(count)
    }

    package mutating func append(_ element: Element) {
        self.elements.append(element)
    }

    /// Removes and returns the first element.
    package mutating func popFirst() -> Element? {
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

    /// Removes and returns the last element.
    package mutating func popLast() -> Element? {
        self.isEmpty ? nil : self.elements.popLast()
    }
}

extension Deque: Sendable where Element: Sendable {}
