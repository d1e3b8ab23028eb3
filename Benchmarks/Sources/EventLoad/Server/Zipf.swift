// SPDX-License-Identifier: Apache-2.0

/// Numbers of which a few are popular: number k, from 0, comes 1 / (k + 1) as often as number 0.
struct Zipf: Sendable {
    /// The sums of the weights up to each number.
    private let sums: [Double]

    /// - Parameter count: The numbers are below it; 1 or more.
    init(_ count: Int) {
        precondition(count > 0, "no numbers to draw from")
        var sum = 0.0
        self.sums = (1...count).map { rank in
            sum += 1 / Double(rank)
            return sum
        }
    }

    /// Draws a number.
    func draw(_ chance: inout Chance) -> Int {
        let point = Double.random(in: 0..<1, using: &chance) * self.sums[self.sums.count - 1]
        var (low, high) = (0, self.sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if self.sums[middle] > point { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
