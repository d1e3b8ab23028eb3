//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import struct FoundationEssentials.Date

/// What time it is for the platform, in milliseconds since 1970, as the interfaces carry it.
struct WallClock: Sendable {
    private let now: @Sendable () -> Date

    /// - Parameter now: Where the time comes from; nil is the clock of the machine.
    init(_ now: (@Sendable () -> Date)?) {
        self.now = now ?? SystemTime.date
    }

    /// Whole milliseconds; a date beyond the range of 64 bits counts as its end.
    var milliseconds: Int64 {
        let value = (self.now().timeIntervalSince1970 * 1000).rounded(.down)
        return Int64(exactly: value) ?? (value < 0 ? .min : .max)
    }

    /// The date of a stamp of this clock.
    static func date(milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
