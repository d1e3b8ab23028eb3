// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import SignetEmulator

struct MPIDSequenceTests {
    private static func first(_ count: Int, of sequence: MPIDSequence) -> [Int64] {
        var sequence = sequence
        return (0..<count).map { _ in sequence.next().rawValue }
    }

    @Test func countingSkipsZeroAndGoesRound() {
        #expect(Self.first(3, of: .counting(from: -1)) == [-1, 1, 2])
        #expect(Self.first(2, of: .counting(from: .max)) == [.max, .min])
    }

    @Test func aListIsUsedUpAndThenCountedOn() {
        #expect(Self.first(4, of: .listed([5, 0, 3])) == [5, 3, 4, 5])
        #expect(Self.first(2, of: .listed([])) == [1, 2])
    }

    @Test func aSeedGivesTheSameNumbersNegativeOnesAmongThem() {
        let numbers = Self.first(100, of: .random(seed: 1))
        #expect(numbers == Self.first(100, of: .random(seed: 1)))
        #expect(numbers != Self.first(100, of: .random(seed: 2)))
        #expect(Set(numbers).count == 100)
        #expect(numbers.contains { $0 < 0 })
        #expect(numbers.contains { $0 > Int64(Int32.max) })
    }
}
