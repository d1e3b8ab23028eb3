//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import FoundationEssentials

/// Random numbers that come again: SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
struct SeededGenerator: RandomNumberGenerator {
    /// What brings the same numbers again; from the environment variable SIGNET_SEED if that is set.
    let seed: UInt64
    private var state: UInt64

    init(defaultSeed: UInt64) {
        self.seed = ProcessInfo.processInfo.environment["SIGNET_SEED"].flatMap(UInt64.init) ?? defaultSeed
        self.state = self.seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
