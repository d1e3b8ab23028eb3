// SPDX-License-Identifier: Apache-2.0

#if SIGNET_HUMMINGBIRD
/// Decides which failures have a log line: the first one, then at most one in ``interval``, with the number since the last line.
///
/// An outage fails each request of a server. A line for each would fill the log and hide what else happens.
struct FailureLines: Sendable {
    /// The time between two lines.
    static let interval = Duration.seconds(10)

    private var lastLine: Duration?
    private var count = 0

    /// Counts a failure.
    ///
    /// - Parameter now: Uptime.
    /// - Returns: The number of failures since the last line, with this one; nil if no line is due.
    mutating func failed(at now: Duration) -> Int? {
        self.count += 1
        if let lastLine, now - lastLine < Self.interval { return nil }
        defer { (self.lastLine, self.count) = (now, 0) }
        return self.count
    }
}
#endif
