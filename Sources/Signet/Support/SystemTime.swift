// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.Date

#if canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

extension TimeSource {
    /// The clocks of this machine.
    ///
    /// No other place in the library reads them.
    package static func system() -> TimeSource {
        let clock = SlicedClock(base: ContinuousClock())
        #if os(Linux)
        // `ContinuousClock` and `Date` read the same clocks, in three times the time; each event reads both.
        let start = Self.read(CLOCK_BOOTTIME)
        return TimeSource(
            clock: clock,
            elapsed: {
                let now = Self.read(CLOCK_BOOTTIME)
                let seconds = Int64(now.tv_sec - start.tv_sec)
                return .nanoseconds(seconds * 1_000_000_000 + Int64(now.tv_nsec - start.tv_nsec))
            },
            milliseconds: {
                let now = Self.read(CLOCK_REALTIME)
                return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
            }
        )
        #else
        return TimeSource(clock: clock, milliseconds: { Date().milliseconds })
        #endif
    }

    #if os(Linux)
    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
    #endif
}
