// SPDX-License-Identifier: Apache-2.0

/// The result of a shutdown.
public struct ShutdownReport: Sendable, Hashable {
    /// Events that stay on disk for the next start.
    public let eventsLeft: Int
    /// True if everything that could be sent was sent within the limit.
    public let isComplete: Bool
}
