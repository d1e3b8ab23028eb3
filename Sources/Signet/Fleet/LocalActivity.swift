// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

/// The events of one session that a process has logged and not told the shared store.
struct LocalActivity: Sendable, Hashable {
    let session: UUID
    /// The begin of the session, in milliseconds since 1970.
    private(set) var started: Int64
    /// The moment of the last event, in milliseconds since 1970.
    var last: Int64
    /// The number of events.
    var events = 0

    init(session: UUID, started: Int64, last: Int64, events: Int = 0) {
        (self.session, self.started, self.last, self.events) = (session, started, last, events)
    }

    /// The same session and moments, without a number of events: another count has them.
    var withoutCount: LocalActivity {
        var activity = self
        activity.events = 0
        return activity
    }

    /// Adds other events of the session; an object of before may know an earlier begin of it.
    mutating func add(_ other: LocalActivity) {
        self.started = min(self.started, other.started)
        self.last = max(self.last, other.last)
        self.events += other.events
    }
}
