//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Random numbers that a seed repeats (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// The seeds to try: the one of the environment, or so many from a new start, which is printed.
    static func seeds(_ count: Int, _ test: String = #function) -> [UInt64] {
        if let text = getenv("SIGNET_SEED").map({ String(cString: $0) }), let seed = UInt64(text) {
            return [seed]
        }
        let first = UInt64.random(in: 0...UInt64(UInt32.max))
        print("\(test): SIGNET_SEED=\(first) and the \(count - 1) after it")
        return (0..<UInt64(count)).map { first + $0 }
    }

    mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
        (0..<Int.random(in: count, using: &self)).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}
