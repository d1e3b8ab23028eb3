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
    /// What makes the same sequence again (``init(name:)``), wherever this one has come to.
    package let name: String

    /// Counts upwards.
    ///
    /// - Parameter first: The first number; after the greatest 64-bit number comes the least.
    /// - Returns: The sequence, at its start.
    public static func counting(from first: Int64) -> MPIDSequence {
        MPIDSequence(source: .counting(next: first), name: "counting \(first)")
    }

    /// Gives the numbers of a list, then counts on from the last.
    ///
    /// - Parameter numbers: In the order of use; zeros are skipped.
    /// - Returns: The sequence, at its start.
    public static func listed(_ numbers: [Int64]) -> MPIDSequence {
        MPIDSequence(
            source: .listed(numbers, position: 0),
            name: "listed " + numbers.map(String.init).joined(separator: " ")
        )
    }

    /// Gives random 64-bit numbers, negative ones among them, as the platform does; the same for the same seed.
    ///
    /// - Parameter seed: Any number.
    /// - Returns: The sequence, at its start.
    public static func random(seed: UInt64) -> MPIDSequence {
        MPIDSequence(source: .random(SplitMix64(seed: seed)), name: "random \(seed)")
    }

    /// The sequence of a name, at its start; nil for a text that is no name.
    package init?(name: String) {
        let words = name.split(separator: " ", omittingEmptySubsequences: false)
        let numbers = words.dropFirst().compactMap { Int64($0) }
        switch words.first {
        case "counting" where words.count == 2 && numbers.count == 1:
            self = .counting(from: numbers[0])
        case "listed" where numbers.count == words.count - 1:
            self = .listed(numbers)
        case "random" where words.count == 2:
            guard let seed = UInt64(words[1]) else { return nil }
            self = .random(seed: seed)
        default:
            return nil
        }
    }

    private init(source: Source, name: String) {
        self.source = source
        self.name = name
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
