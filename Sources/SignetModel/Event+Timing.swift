// SPDX-License-Identifier: Apache-2.0

extension Event {
    /// The start and the duration of an event that takes time.
    package struct Timing: Sendable, Hashable {
        /// The start, in milliseconds since 1970.
        package var start: Int64
        /// The duration in milliseconds.
        package var duration: Int64

        package init(start: Int64, duration: Int64) {
            self.start = start
            self.duration = duration
        }
    }
}
