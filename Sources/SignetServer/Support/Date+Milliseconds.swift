// SPDX-License-Identifier: Apache-2.0

#if Tool
import struct FoundationEssentials.Date

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
