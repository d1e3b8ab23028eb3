// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import struct FoundationEssentials.Date

/// The machine's clocks: the only access to them in the server and the tool.
package enum SystemTime {
    /// The clock for waiting and durations.
    package static func clock() -> any Clock<Duration> {
        ContinuousClock()
    }

    /// Returns the current time in milliseconds since 1970.
    static func milliseconds() -> Int64 {
        Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
    }
}

extension Date {
    /// Milliseconds since 1970, rounded; 0 beyond 64 bits.
    var milliseconds: Int64 {
        Int64(exactly: (self.timeIntervalSince1970 * 1000).rounded()) ?? 0
    }

    init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
#endif
