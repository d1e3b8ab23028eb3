// SPDX-License-Identifier: Apache-2.0

extension SignetRuntime {
    /// Performs requests, delivers events and ends sessions, until a shutdown or the cancellation of its task.
    ///
    /// Call it once, in a task of its own or as a service of a `ServiceGroup` (trait `Server`), whose
    /// graceful shutdown shuts it down within ``SignetConfiguration/shutdownLimit``. Cancelling it is the hard way out:
    /// nothing more is sent, the disk is synced, and all waiting callers get an answer.
    ///
    /// - Throws: `alreadyRunning` when it is called twice, `notRunning` after the end.
    public func run() async throws(SignetError) {
        try self.running.begin()
        #if SIGNET_SERVICE_LIFECYCLE
        await self.serveInItsGroup()
        #else
        await self.running.serve()
        #endif
    }

    /// Ends in order: takes no new calls, finishes those under way, delivers events, syncs the disk.
    ///
    /// After any call, `run()` returns once the shutdown is done. Another call waits for the same end. Without `run()`
    /// nothing can be delivered; the disk is synced all the same.
    ///
    /// - Parameter limit: The time limit. Undelivered events stay on disk for the next start.
    /// - Returns: A report of the remaining events.
    @discardableResult
    public func shutdown(within limit: Duration = .seconds(30)) async -> ShutdownReport {
        await self.running.shutdown(within: limit)
    }
}
