// SPDX-License-Identifier: Apache-2.0

/// One moment on two clocks: the monotonic clock and the wall clock.
struct SessionTimestamp: Sendable, Hashable {
    /// The monotonic time, which decides about timeouts.
    let uptime: Duration
    /// The wall-clock time in milliseconds since 1970, which is persisted.
    let milliseconds: Int64

    init(uptime: Duration, milliseconds: Int64) {
        self.uptime = uptime
        self.milliseconds = milliseconds
    }

    /// Makes a timestamp of the current time.
    init(_ time: TimeSource) {
        self.init(uptime: time.uptime, milliseconds: time.milliseconds)
    }

    /// The uptime at a time of the wall clock, in milliseconds since 1970, that is not before now.
    func uptime(at milliseconds: Int64) -> Duration {
        self.uptime + .milliseconds(max(0, milliseconds.subtractingSaturated(self.milliseconds)))
    }
}
