// SPDX-License-Identifier: Apache-2.0

extension SignetRuntime {
    /// Removes the installations of which nothing was done for a time; the next open of such an id is a first one.
    ///
    /// **A use** is an open, an event, an identity call, or a session; opens that begin no session are noted once a day,
    /// and count until the end of that day (UTC). The times are those of the wall clock, which it trusts: a clock that is ahead
    /// removes too much. ``SignetConfiguration/Installations/retention`` waits until the clock has gone a day without a jump.
    ///
    /// **Kept** are installations in memory: with a handle, a live session or a request. Kept are those with something that waits:
    /// an event, a batch in flight, a dead letter, an alias request, an identity sync, unsent data of a service, an unfinished
    /// opt-out or reset. Who has opted out is kept.
    /// The next call looks at them again. An installation with a session that an earlier process left open gets
    /// its end event; it is removed by a call after that was delivered. One whose records are damaged is kept and reported.
    ///
    /// **Removed** is the same as by ``Installation/reset()``. Nothing is published. It is counted in
    /// ``SignetStatistics/installationsRemoved`` and reported (``SignetObserver/installationsRemoved(_:)``).
    ///
    /// **A crash:** records are written before anything is removed, 2048 installations at a time, and flushed once for them. If the
    /// process dies meanwhile, the next start finishes these; no installation is ever removed by half.
    ///
    /// It works with and without `run()`, reads the records of all installations, and delays no other call: 100,000 removals
    /// take seconds.
    ///
    /// **With a shared store** it removes rows for all replicas. The time counts in full days from the last change of the row; an
    /// open is one once in 7 days. A row with a session, an identity call under way, or an event to be logged stays. What other
    /// replicas hold does not show in a row, so the least time is longer.
    ///
    /// - Parameter time: The time without a use; at least 1 day. With a shared store at least 8 days, and a day more than
    ///   ``SignetConfiguration/Events/Storage/maximumAge``: 91 days by default.
    /// - Returns: The number of removed installations.
    /// - Throws: `invalidArgument` for a shorter time; `notRunning` after the end of the runtime; `cancelled`, after which those removed so far stay
    ///   removed; `diskFull`, `diskFailed`: a removal that has begun is finished by `run()` within a minute, or by the next start.
    ///   With a shared store also its errors; `outcomeUnknown` if it goes away after some were removed, which the message counts.
    @discardableResult
    public func removeInstallations(idleFor time: Duration) async throws(SignetError) -> Int {
        guard time >= .seconds(86_400) else {
            throw SignetError(.invalidArgument, "An idle time of \(time) is too short; at least 1 day is allowed.")
        }
        let least = FleetRetention.least(self.context.configuration)
        guard self.context.fleet == nil || time >= least else {
            throw SignetError(
                .invalidArgument,
                "An idle time of \(time) is too short: other replicas may hold events. With a shared store at least "
                    + "\(FleetRetention.days(in: least)) days are allowed, which `events.storage.maximumAge` and a day are, and never less than 8."
            )
        }
        return try await InstallationRetention.remove(idleFor: time, self.opening)
    }
}
