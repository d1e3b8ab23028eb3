// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.Date

/// The platform's time, in milliseconds since 1970 as in the interfaces.
struct WallClock: Sendable {
    private let now: @Sendable () -> Date

    /// - Parameter now: The source of the time; nil uses the machine's clock.
    init(_ now: (@Sendable () -> Date)?) {
        self.now = now ?? SystemTime.date
    }

    /// Converts to whole milliseconds; a date beyond the range of 64 bits is clamped.
    var milliseconds: Int64 {
        let value = (self.now().timeIntervalSince1970 * 1000).rounded(.down)
        return Int64(exactly: value) ?? (value < 0 ? .min : .max)
    }

    /// Returns the date of a timestamp of this clock.
    static func date(milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
