// SPDX-License-Identifier: Apache-2.0

extension Installation {
    /// Opts the installation out or in, and logs that (Events API v2, `opt_out`).
    ///
    /// While out, no other event is accepted, attributes and identity calls are refused, and no session begins. The
    /// choice ends the session: ``SignetRuntime/sessionChanges()`` say so (``SessionChange/EndReason/optedOut``), and
    /// no end is sent. Timed events under way and breadcrumbs are forgotten. After opting in, a
    /// session begins with the foreground or with the next event that may begin one; it refers to none before it.
    ///
    /// The one batch of the installation that is on the wire when the call returns may still arrive; nothing else that was logged
    /// before does, also after opting in again. The choice is asked before each try of a batch: one that has failed is not sent again,
    /// nor is a dead letter that you send again. What is not sent is dropped, and counted as ``DropCause/optedOut``. Where replicas share
    /// the installation, each of them may have such a batch, and sends for at most a second by what it has read of the row before.
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
    ///   see ``isOptedOut``. The runtime then logs the event within a minute in which the disk works.
    public func setOptedOut(_ isOptedOut: Bool) async throws(SignetError) {
        let choice: Result<DueOptOut, SignetError>
        do throws(SignetError) {
            choice = .success(try await self.core.setOptedOut(isOptedOut))
        } catch {
            choice = .failure(error)
        }
        // Also after an error: the choice may apply. A push token that changed meanwhile is sent now.
        await self.core.beginPushTokenCall()
        var isFollowed = true
        for service in self.core.managers.linked.all where await !service.followOptOut(of: self.core) {
            isFollowed = false
        }
        if !isOptedOut { self.core.context.dueWork.report { $0.mayLackUsers = true } }
        do throws(SignetError) {
            let due = try choice.get()
            try await self.core.context.syncTogether()
            if isFollowed { return try self.core.settle(due) }
        } catch {
            // The choice may stand without its event.
            self.core.context.dueWork.report { $0.areOptOutsDue = true }
            throw error
        }
        self.core.context.dueWork.report { $0.areOptOutsDue = true }
    }
}
