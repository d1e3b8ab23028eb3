// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The result of a shutdown.
public struct ShutdownReport: Sendable, Hashable {
    /// Events that the platform has accepted since the runtime was made.
    public let eventsDelivered: Int
    /// Events that stay on disk for the next start.
    public let eventsLeft: Int
    /// True if everything that could be sent was sent within the limit.
    public let isComplete: Bool

    /// One line for people.
    var sentence: String {
        let delivered = self.eventsDelivered.of("event was delivered", "events were delivered")
        let left =
            if self.eventsLeft > 0 {
                self.eventsLeft.of("stays on disk for the next start", "stay on disk for the next start")
            } else {
                self.isComplete ? "none is left" : "none is left; other work was not finished in time"
            }
        return "The runtime has ended: \(delivered), \(left)."
    }
}
