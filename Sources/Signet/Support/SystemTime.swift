// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.Date

extension TimeSource {
    /// The clocks of this machine.
    ///
    /// No other place in the library reads them.
    package static func system() -> TimeSource {
        TimeSource(clock: SlicedClock(base: ContinuousClock()), milliseconds: { Date().milliseconds })
    }
}
