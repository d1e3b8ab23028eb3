//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import struct FoundationEssentials.Date

/// The clocks of the machine: the only place of the server and the tool that reads them.
package enum SystemTime {
    /// The clock for waiting and durations.
    package static func clock() -> any Clock<Duration> {
        ContinuousClock()
    }

    /// Milliseconds since 1970.
    static func milliseconds() -> Int64 {
        Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
    }
}
#endif
