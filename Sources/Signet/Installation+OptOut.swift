// SPDX-License-Identifier: Apache-2.0

extension Installation {
    /// Opts the installation out or in, and logs that (Events API v2, `opt_out`).
    ///
    /// While out, no other event is accepted, attributes and identity calls are refused, and sessions neither begin nor
    /// end. Waiting events that are not in a batch in flight are dropped, and counted as ``DropCause/optedOut``. After
    /// opting in, the next event or the foreground begins a session.
    ///
    /// The services of the runtime follow: they send nothing, drop and count what waits, and ignore what is new. The
    /// documentation of `IterableVisitor` and `InfobipProfile` says what they keep for the opt-in.
    ///
    /// The choice survives a loss of power before this returns. Where replicas share the installation, the row has it and its
    /// event: if this replica dies before the event is in its journal, another one logs it a minute later, with the same id.
    ///
    /// - Parameter isOptedOut: True for out, false for in. The same value again is logged again.
    /// - Throws: `closed`, `limitReached`, `diskFull`, `diskFailed`, `notRunning` after the end of the runtime. If the
    ///   disk fails or is full after the choice was written, the choice applies, though a loss of power may revert it:
    ///   see ``isOptedOut``. The next start then logs the event, or call it again.
    public func setOptedOut(_ isOptedOut: Bool) async throws(SignetError) {
        let choice: Result<DueOptOut, SignetError>
        do throws(SignetError) {
            choice = .success(try await self.core.setOptedOut(isOptedOut))
        } catch {
            choice = .failure(error)
        }
        // Also after an error: the choice may apply. A push token that changed meanwhile is sent now.
        await self.core.beginPushTokenCall()
        for service in self.core.managers.linked.all { await service.followOptOut(of: self.core) }
        let due = try choice.get()
        try await self.core.context.syncTogether()
        try self.core.settle(due)
    }
}
