// SPDX-License-Identifier: Apache-2.0

/// An owner of a session that can time out.
protocol SessionHolder: AnyObject, Sendable {
    /// Ends the session if it has timed out; the queue of events is not woken.
    ///
    /// - Returns: The uptime of the next check; nil if none is needed.
    func timeOutSession() -> Duration?
}
