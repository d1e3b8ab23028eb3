// SPDX-License-Identifier: Apache-2.0

public import SignetModel

public import struct FoundationEssentials.Date

extension Session {
    /// The totals of a session.
    public struct Summary: Sendable, Hashable {
        /// The time from the begin to the last event, in whole milliseconds, by a monotonic clock.
        public let length: Duration
        /// The share of ``length`` that the app spent in the foreground; on a server all of it.
        public let foregroundLength: Duration
        /// The wall-clock time of the last event, or of the call that ended the session.
        public let lastEventTime: Date
        /// The number of events, without the session's own begin and end.
        public let eventCount: Int
        /// The number of times that the app went to the background.
        public let interruptionCount: Int
        /// The session attributes; see ``Installation/setSessionAttribute(_:for:)``.
        public let attributes: [String: AttributeValue]
        /// The users who were current or have events in the session, in order; returning users repeat, up to 195 entries.
        public let mpids: [MPID]
    }
}
