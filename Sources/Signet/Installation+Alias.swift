// SPDX-License-Identifier: Apache-2.0

import SignetModel

public import struct FoundationEssentials.UUID

extension Installation {
    /// Requests that one user's events count for another user (IDSync, aliasing).
    ///
    /// The request is on disk before this returns. It is sent after every earlier event that the two users logged here,
    /// and holds no event back.
    ///
    /// A permanent refusal ends it: 400 and the like, and 403, the answer if aliasing is not provisioned. Anything else
    /// is retried, across restarts; a 401 too, until the secret is right. A failed request waits on its own, 5 s at
    /// first and 300 s later; other requests continue. An opt-out ends it (``AliasOutcome/Kind/optedOut``).
    ///
    /// - Parameter request: The source user, the destination user and the period.
    /// - Returns: The request's id, for ``aliasOutcome(of:)`` and ``aliasOutcomes()``.
    /// - Throws: `invalidArgument` if the platform would refuse it, `optedOut`, `closed`, `diskFull`, `diskFailed`,
    ///   `notRunning` after the end of the runtime.
    @discardableResult
    public func alias(_ request: AliasRequest) async throws(SignetError) -> UUID {
        guard self.core.phase == .open else { throw .closed }
        guard self.core.context.lifecycle.acceptsCalls else { throw .hasEnded }
        return try await self.core.add(request)
    }

    /// The outcome of an alias request.
    ///
    /// - Parameter id: The id that ``alias(_:)`` returned.
    /// - Returns: Nil while it is in flight. The last 10,000 outcomes of this process are kept.
    public func aliasOutcome(of id: UUID) async -> AliasOutcome? {
        await self.core.managers.aliases.outcome(of: id)
    }
}
