//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Numbers in the order they came; each operation takes the same time however many wait.
struct WaiterQueue: Sendable {
    private var numbers: [Int] = []
    /// Index of the first one; the array is compacted when half of it has gone.
    private var head = 0
    private var present: Set<Int> = []

    /// Adds a number that was not there before.
    mutating func append(_ number: Int) {
        self.numbers.append(number)
        self.present.insert(number)
    }

    /// Takes the first one that has not been removed.
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
    /// - Returns: Whether it was there.
    mutating func remove(_ number: Int) -> Bool {
        self.present.remove(number) != nil
    }
}
