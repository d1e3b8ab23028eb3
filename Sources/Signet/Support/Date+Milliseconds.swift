// SPDX-License-Identifier: Apache-2.0

package import struct FoundationEssentials.Date

extension Date {
    /// Makes a date from milliseconds since 1970.
    package init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Whole milliseconds since 1970, rounded to the nearest; the far past and future are clamped to the year ±10,000.
    package var milliseconds: Int64 {
        let bound = 300_000_000_000_000.0
        let exact = (self.timeIntervalSince1970 * 1000).rounded()
        return exact.isNaN ? 0 : Int64(min(max(exact, -bound), bound))
    }
}
