// SPDX-License-Identifier: Apache-2.0

import struct SignetModel.MPID

/// A source of MPIDs for new users.
///
/// The platform skips numbers that are in use, and zero, which is not an MPID.
public struct MPIDSequence: Sendable {
    private enum Source: Sendable {
        case counting(next: Int64)
        case listed([Int64], position: Int)
        case random(SplitMix64)
    }

    private var source: Source
    /// The text from which ``init(name:)`` makes this sequence again from its start.
    package let name: String

    /// Counts upwards.
    ///
    /// - Parameter first: The first number; the greatest 64-bit number is followed by the least.
    /// - Returns: The sequence, at its start.
    public static func counting(from first: Int64) -> MPIDSequence {
        MPIDSequence(source: .counting(next: first), name: "counting \(first)")
    }

    /// Returns the numbers of a list, then counts up from the last.
    ///
    /// - Parameter numbers: The numbers in the order of use; zeros are skipped.
    /// - Returns: The sequence, at its start.
    public static func listed(_ numbers: [Int64]) -> MPIDSequence {
        MPIDSequence(
            source: .listed(numbers, position: 0),
            name: "listed " + numbers.map(String.init).joined(separator: " ")
        )
    }

    /// Returns random 64-bit numbers, some of them negative as on the platform; the same seed gives the same numbers.
    ///
    /// - Parameter seed: Any number.
    /// - Returns: The sequence, at its start.
    public static func random(seed: UInt64) -> MPIDSequence {
        MPIDSequence(source: .random(SplitMix64(seed: seed)), name: "random \(seed)")
    }

    /// Makes the sequence of a ``name``, at its start; nil if the text is not a valid name.
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

    /// Returns the next number that is not zero.
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

/// A seeded generator, so that a run can be repeated (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators).
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
