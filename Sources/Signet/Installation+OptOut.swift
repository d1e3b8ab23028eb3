//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Installation {
    /// Opts the installation out or in, and logs that (Events API v2, `opt_out`).
    ///
    /// While out, no other event is accepted, attributes and identity calls are refused, and sessions neither begin nor end.
    /// Events that wait and are not in a batch on its way are dropped, and counted as that (``DropCause/optedOut``). After
    /// opting in, the next event or the foreground begins a session.
    ///
    /// The visitor follows: what is not told yet of what they did is dropped and counted (``IterableDropCause/optedOut``), what
    /// they do is ignored, and nothing is sent. Who is known stays known; what the service is to be told of them (a merge, a
    /// consent, a push token) waits until it is over.
    ///
    /// The profile follows, too: its queued events and its sessions are dropped, calls are refused, and nothing is sent; what was
    /// saved of the person and the installation waits until it is over.
    ///
    /// When this returns, it survives a loss of power.
    ///
    /// - Parameter isOptedOut: Out or in. Said again, it is logged again.
    /// - Throws: `closed`, `limitReached`, `diskFull`, `diskFailed`, `notRunning` after the end of the runtime. When the
    ///   disk fails, or has no room, after the choice was written, it holds all the same, though a loss of power may take
    ///   it: ``isOptedOut`` tells. The event is logged by the next start then, or call it again.
    public func setOptedOut(_ isOptedOut: Bool) async throws(SignetError) {
        let due: DueOptOut
        do throws(SignetError) {
            due = try await self.core.identity.setOptedOut(isOptedOut)
        } catch {
            await self.core.iterableFollowsOptOut()
            await self.core.infobipFollowsOptOut()
            throw error
        }
        await self.core.iterableFollowsOptOut()
        await self.core.infobipFollowsOptOut()
        try await self.core.services.syncTogether()
        try self.core.settle(due)
    }
}
