// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Where the seeds of a randomised test begin: `SIGNET_SEED`, or anywhere.
enum Seed {
    static func base() -> UInt64 {
        let given = ProcessInfo.processInfo.environment["SIGNET_SEED"].flatMap(UInt64.init)
        return given ?? UInt64.random(in: 0...UInt64(UInt32.max))
    }
}
