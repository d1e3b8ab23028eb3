// SPDX-License-Identifier: Apache-2.0

import SignetModel

// Identity calls (IDSync HTTP API). One at a time per installation. `run()` performs each, so cancelling the calling
// task does not lose the answer for the installation.
extension Installation {
    /// Waits for the initial identify that `open` requested.
    ///
    /// - Returns: Its result; the current user if none was requested, or if a login between its tries has made it
    ///   needless.
    /// - Throws: The error of the identify, `noUser` if none was requested and there is no user, `notRunning`,
    ///   `cancelled`. In the pause after a failure (``IdentifyPolicy/ifUnknown``) the code of that failure, with the
    ///   rest of the pause in ``SignetError/retryAfter``.
    public func initialIdentifyResult() async throws(SignetError) -> IdentityResult {
        guard let outcome = await self.core.identityIfMade?.startOutcome() else {
            // Another replica may have found the user.
            if self.currentUser == nil { try await self.core.refresh() }
            guard let user = self.currentUser else { throw .noUser }
            return IdentityResult(user: user)
        }
        return try outcome.identityResult
    }

    /// Asks the platform for the user in front of the installation, without claiming a login.
    ///
    /// - Parameters:
    ///   - request: The known identities of the user; none by default. Device identities are added.
    ///   - whenBusy: The policy while another identity call is under way.
    ///   - retry: The retry policy; nil for a single try.
    /// - Returns: The user.
    /// - Throws: ``SignetError`` with `invalidArgument`, `requestInProgress`, `optedOut`, `closed`, `cancelled`,
    ///   `notRunning` after the end of the runtime or without `run()` within
    ///   ``SignetConfiguration/Identity/requestTimeout``, `notSent`, a transport failure (`timedOut`, `notConnected` ...)
    ///   or one of the platform (`unauthorized`, `throttled`, `rejected` ...).
    @discardableResult
    public func identify(
        _ request: IdentityRequest = IdentityRequest(),
        whenBusy: ConflictPolicy = .refuse,
        retry: RetryPolicy? = nil
    ) async throws(SignetError) -> IdentityResult {
        try await self.core.identity.call(.transition(.identify, request), whenBusy, retry).identityResult
    }

    /// Logs a user in at the platform.
    ///
    /// - Parameters:
    ///   - request: The user, with the value of at least one identity that is not the device's; the platform wants a
    ///     login identity of the workspace.
    ///   - whenBusy: The policy while another identity call is under way.
    ///   - retry: The retry policy; nil for a single try.
    /// - Returns: The user.
    /// - Throws: As ``identify(_:whenBusy:retry:)``; `invalidArgument` also for a request without any such value: the
    ///   platform would log the user out.
    @discardableResult
    public func login(
        _ request: IdentityRequest,
        whenBusy: ConflictPolicy = .refuse,
        retry: RetryPolicy? = nil
    ) async throws(SignetError) -> IdentityResult {
        try await self.core.identity.call(.transition(.login, request), whenBusy, retry).identityResult
    }

    /// Logs the user out at the platform.
    ///
    /// - Parameters:
    ///   - request: The identities of the next user; none by default.
    ///   - whenBusy: The policy while another identity call is under way.
    ///   - retry: The retry policy; nil for a single try.
    /// - Returns: The new user, most often an anonymous one.
    /// - Throws: As ``identify(_:whenBusy:retry:)``.
    @discardableResult
    public func logout(
        _ request: IdentityRequest = IdentityRequest(),
        whenBusy: ConflictPolicy = .refuse,
        retry: RetryPolicy? = nil
    ) async throws(SignetError) -> IdentityResult {
        try await self.core.identity.call(.transition(.logout, request), whenBusy, retry).identityResult
    }

    /// Changes identities of one user; sends only the differences, and nothing if there are none.
    ///
    /// A device identity in the request applies to the device from then on, as after ``setDeviceIdentity(_:for:)``,
    /// unless the request names a user who is not current.
    ///
    /// - Parameters:
    ///   - request: The identities to set, nil for those to remove. It changes the user it was made from, otherwise the
    ///     current user at the call, even if another user is current before the answer. With a shared store that is the row's.
    ///   - whenBusy: The policy while another identity call is under way.
    ///   - retry: The retry policy; nil for a single try.
    /// - Returns: The user as known now, and the users who lost an identity to them.
    /// - Throws: As ``identify(_:whenBusy:retry:)``; `noUser` before the first user.
    @discardableResult
    public func modify(
        _ request: IdentityRequest,
        whenBusy: ConflictPolicy = .refuse,
        retry: RetryPolicy? = nil
    ) async throws(SignetError) -> ModifyResult {
        try await self.core.identity.call(.modify(request), whenBusy, retry).modifyResult
    }

    /// Looks a user up without changing anything, here or at the platform.
    ///
    /// - Parameters:
    ///   - request: The known identities of the user, at least one. Device identities are not added.
    ///   - whenBusy: The policy while another identity call is under way.
    ///   - retry: The retry policy; nil for a single try.
    /// - Returns: The user that the platform found, or that it found none.
    /// - Throws: As ``identify(_:whenBusy:retry:)``.
    public func search(
        _ request: IdentityRequest,
        whenBusy: ConflictPolicy = .refuse,
        retry: RetryPolicy? = nil
    ) async throws(SignetError) -> SearchResult {
        try await self.core.identity.call(.search(request), whenBusy, retry).searchResult
    }
}
