// SPDX-License-Identifier: Apache-2.0

/// Random numbers that come again: SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
struct Chance: RandomNumberGenerator {
    /// What brings the same numbers again.
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64) {
        self.seed = seed
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in so many times.
    mutating func oneIn(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    /// A value, or nil once in three times.
    mutating func perhaps<Value>(_ value: @autoclosure () -> Value) -> Value? {
        self.oneIn(3) ? nil : value()
    }
}
