// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.Date

/// The only access to the machine's clock.
enum SystemTime {
    static func date() -> Date {
        Date()
    }

    static func clock() -> any Clock<Duration> {
        ContinuousClock()
    }
}
