//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

public import struct FoundationEssentials.UUID

extension Installation {
    /// Asks that what one user did counts for another (IDSync, aliasing).
    ///
    /// Returns when the request is on disk. It is sent after every event of the two users that was logged here before, and
    /// holds no event back. What the platform refuses for good ends it: 400 and the like, and 403, with which it answers where
    /// aliasing is not provisioned. Anything else is tried again, across restarts; a 401 too, until the secret is right.
    /// A request that fails waits by itself, 5 s at first and 300 s later; others go meanwhile. An opt-out ends it
    /// (``AliasOutcome/Kind/optedOut``).
    ///
    /// - Parameter request: Whose events, for whom, from when to when.
    /// - Returns: Its id, for ``aliasOutcome(of:)`` and ``aliasOutcomes()``.
    /// - Throws: `invalidArgument` when the platform would refuse it, `optOut`, `closed`, `diskFull`, `diskFailed`,
    ///   `notRunning` after the end of the runtime.
    @discardableResult
    public func alias(_ request: AliasRequest) async throws(SignetError) -> UUID {
        guard self.core.phase == .open else { throw .closed }
        guard self.core.services.identity.lifecycle.acceptsCalls else { throw .notRunning }
        return try self.core.add(request)
    }

    /// How an alias request ended.
    ///
    /// - Parameter id: What ``alias(_:)`` returned.
    /// - Returns: Nil while it is on its way. Outcomes of this process are remembered, the last 10,000 of them.
    public func aliasOutcome(of id: UUID) async -> AliasOutcome? {
        await self.core.services.aliases.outcome(of: id)
    }
}
