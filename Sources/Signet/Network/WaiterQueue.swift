// SPDX-License-Identifier: Apache-2.0

/// A queue of numbers whose operations take the same time for any number of waiters.
struct WaiterQueue: Sendable {
    private var numbers: [Int] = []
    /// The index of the first number; the array is compacted when half of it has gone.
    private var head = 0
    private var present: Set<Int> = []

    /// Adds a number that was not there before.
    mutating func append(_ number: Int) {
        self.numbers.append(number)
        self.present.insert(number)
    }

    /// Removes and returns the first number that is still present.
    mutating func popFirst() -> Int? {
        while self.head < self.numbers.count {
            let number = self.numbers[self.head]
            self.head += 1
            if self.head * 2 > self.numbers.count {
                self.numbers.removeFirst(self.head)
                self.head = 0
            }
            if self.present.remove(number) != nil { return number }
        }
        return nil
    }

    /// Removes a number.
    ///
    /// - Returns: True if it was present.
    mutating func remove(_ number: Int) -> Bool {
        self.present.remove(number) != nil
    }
}
