//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation

/// Random numbers that can be had again: the seed is printed, and taken from `SIGNET_SEED`.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ test: String = #function) {
        let given = ProcessInfo.processInfo.environment["SIGNET_SEED"].flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: .min ... .max)
        print("\(test): SIGNET_SEED=\(seed)")
        self.state = seed
    }

    /// Numbers of a seed that the caller has printed.
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
