//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import struct SignetModel.MPID

/// Where the numbers of new users come from.
///
/// The platform skips numbers that it has given away already, and zero, which is no user.
public struct MPIDSequence: Sendable {
    private enum Source: Sendable {
        case counting(next: Int64)
        case listed([Int64], position: Int)
        case random(SplitMix64)
    }

    private var source: Source

    /// Counts upwards.
    ///
    /// - Parameter first: The first number; after the greatest 64-bit number comes the least.
    /// - Returns: The sequence, at its start.
    public static func counting(from first: Int64) -> MPIDSequence {
        MPIDSequence(source: .counting(next: first))
    }

    /// Gives the numbers of a list, then counts on from the last.
    ///
    /// - Parameter numbers: In the order of use; zeros are skipped.
    /// - Returns: The sequence, at its start.
    public static func listed(_ numbers: [Int64]) -> MPIDSequence {
        MPIDSequence(source: .listed(numbers, position: 0))
    }

    /// Gives random 64-bit numbers, negative ones among them, as the platform does; the same for the same seed.
    ///
    /// - Parameter seed: Any number.
    /// - Returns: The sequence, at its start.
    public static func random(seed: UInt64) -> MPIDSequence {
        MPIDSequence(source: .random(SplitMix64(seed: seed)))
    }

    /// The next number that is a user.
    mutating func next() -> MPID {
        while true {
            if let mpid = MPID(rawValue: self.nextNumber()) {
                return mpid
            }
        }
    }

    private mutating func nextNumber() -> Int64 {
        switch self.source {
        case .counting(let number):
            self.source = .counting(next: number &+ 1)
            return number
        case .listed(let numbers, let position):
            guard position < numbers.count else {
                self.source = .counting(next: (numbers.last ?? 0) &+ 1)
                return self.nextNumber()
            }
            self.source = .listed(numbers, position: position + 1)
            return numbers[position]
        case .random(var generator):
            let number = Int64(bitPattern: generator.next())
            self.source = .random(generator)
            return number
        }
    }
}
