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
        self.limit = limit.map { min(max($0, Self.least), .max / 2) }
    }

    mutating func append(_ element: Element) {
        self.total += 1
        self.all.append(element)
        // Removal in bulk keeps the average cost of an append constant.
        if let limit, self.all.count > 2 * limit { self.all.removeFirst(self.all.count - limit) }
    }

    private static var least: Int { 16 }
}
