// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Random numbers that a seed repeats: SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// What brings the same numbers again.
    package let seed: UInt64
    private var state: UInt64

    /// Numbers of a seed that the caller tells when a test fails.
    package init(seed: UInt64) {
        self.seed = seed
        self.state = seed
    }

    /// The same numbers each time, unless `SIGNET_SEED` says others.
    package init(defaultSeed: UInt64) {
        self.init(seed: Self.seedOfEnvironment ?? defaultSeed)
    }

    /// Other numbers each time, unless `SIGNET_SEED` or `SIGNET_FIRST_SEED` says which; the seed is printed.
    package init(_ test: String = #function) {
        self.init(seed: Self.seedOfEnvironment ?? Self.firstOfEnvironment ?? UInt64.random(in: .min ... .max))
        print("\(test): SIGNET_SEED=\(self.seed)")
    }

    /// The seeds to try: that of `SIGNET_SEED`, or so many from `SIGNET_FIRST_SEED`, or from a new start, which is printed.
    ///
    /// - Parameters:
    ///   - full: How many at full scale. A quick run tries a tenth of them.
    ///   - test: The test's name, for the printed line.
    /// - Returns: The seeds.
    package static func seeds(_ full: Int, _ test: String = #function) -> [UInt64] {
        if let seed = Self.seedOfEnvironment { return [seed] }
        let count = TestScale.count(quick: max(1, full / 10), full: full)
        let first = Self.firstOfEnvironment ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("\(test): SIGNET_SEED=\(first) and the \(count - 1) after it")
        return (0..<UInt64(count)).map { first + $0 }
    }

    private static var seedOfEnvironment: UInt64? {
        ProcessInfo.processInfo.environment["SIGNET_SEED"].flatMap(UInt64.init)
    }

    /// Where a run begins that must be the same for everybody: a patch is not refused for what another run would find.
    private static var firstOfEnvironment: UInt64? {
        ProcessInfo.processInfo.environment["SIGNET_FIRST_SEED"].flatMap(UInt64.init)
    }

    package mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// So many bytes of any value.
    package mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
        (0..<Int.random(in: count, using: &self)).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    /// Whether something happens that happens so often, from 0 to 1.
    package mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }

    /// One of some values; the first when there is no other.
    package mutating func pick<Value>(_ first: Value, _ others: Value...) -> Value {
        let index = Int.random(in: 0...others.count, using: &self)
        return index == 0 ? first : others[index - 1]
    }
}
