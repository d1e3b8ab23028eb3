// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The machine's steady clock, and what looking at it costs.
enum Nanoseconds {
    /// Since some moment before the process.
    static var now: UInt64 {
        Self.read(CLOCK_MONOTONIC)
    }

    /// What the calling thread has worked.
    static var ofThread: UInt64 {
        Self.read(CLOCK_THREAD_CPUTIME_ID)
    }

    /// The median distance of two looks, one right after the other: what each latency has too much.
    static func cost() -> Double {
        var distances = (0..<20_001).map { _ in
            let before = Self.now
            return Self.now - before
        }
        distances.sort()
        // The clock ticks in steps; the mean of the middle half is finer than the median alone.
        let middle = distances[5000..<15_000]
        return Double(middle.reduce(0, +)) / Double(middle.count)
    }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
