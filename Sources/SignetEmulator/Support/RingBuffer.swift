// SPDX-License-Identifier: Apache-2.0

/// The last elements of a list: at least its limit, and at most about twice as many.
struct RingBuffer<Element: Sendable>: Sendable {
    /// The elements, oldest first.
    private(set) var all: [Element] = []
    /// The number of elements ever appended.
    private(set) var total = 0
    private let limit: Int?

    /// Makes an empty list.
    ///
    /// - Parameter limit: The minimum number of elements to keep; nil keeps all.
    init(limit: Int?) {
        self.limit = limit.map { min(max($0, 1), .max / 2) }
    }

    /// Appends an element; others are removed in bulk, so that the average cost is constant.
    ///
    /// - Parameter element: The element.
    /// - Returns: The number of the last removed element, counted from 1; nil if none is removed now.
    @discardableResult
    mutating func append(_ element: Element) -> Int? {
        self.total += 1
        self.all.append(element)
        guard let limit, self.all.count > 2 * limit else { return nil }
        self.all.removeFirst(self.all.count - limit)
        return self.total - limit
    }
}
