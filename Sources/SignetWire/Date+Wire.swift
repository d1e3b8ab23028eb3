// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.Date

extension Date {
    /// Milliseconds since 1970, clamped to the range of 64 bits.
    var wireMilliseconds: Int64 {
        let value = (self.timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: value) ?? (value < 0 ? .min : .max)
    }
}
