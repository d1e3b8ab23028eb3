// SPDX-License-Identifier: Apache-2.0

/// An owner of a session that can time out.
protocol SessionHolder: AnyObject, Sendable {
    /// Ends the session if it has timed out; the caller wakes the queue of events.
    ///
    /// - Parameter hasEnded: Set to true if an event was logged.
    /// - Returns: The uptime of the next check; nil if none is needed.
    func timeOutSession(_ hasEnded: inout Bool) -> Duration?
}
