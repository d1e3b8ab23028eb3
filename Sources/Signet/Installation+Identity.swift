//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

// Identity calls (IDSync HTTP API). One at a time per installation; each is performed by `run()`, so that the task that
// called may be cancelled without losing the answer for the installation.
extension Installation {
    /// Waits for the identify at the start that `open` asked for.
    ///
    /// - Returns: Its result; the current user when none was asked for, or a login has made it needless between its tries.
    /// - Throws: Why it failed, `noUser` when none was asked for and nobody is known, `notRunning`, `cancelled`.
    public func initialIdentifyResult() async throws(SignetError) -> IdentityResult {
        guard let outcome = await self.core.identity.startOutcome() else {
            guard let user = self.currentUser else { throw .noUser }
            return IdentityResult(user: user, previousUser: nil, matchedIdentities: [:])
        }
        return try outcome.identityResult
    }

    /// Asks the platform who is in front of the installation, without claiming a login.
    ///
    /// - Parameters:
    ///   - request: What is known of the user; nothing by default. Device identities are added.
    ///   - whenBusy: What to do when another identity call is under way.
    ///   - retry: When and how often to try again; once when nil.
    /// - Returns: Who it is.
    /// - Throws: ``SignetError`` with `invalidArgument`, `requestInProgress`, `optOut`, `closed`, `cancelled`,
    ///   `notRunning` after the end of the runtime or where nobody runs it within
    ///   ``SignetConfiguration/Identity/requestTimeout``, a failure of the way (`timedOut`, `notConnected` ...) or of the
    ///   platform (`unauthorized`, `throttled`, `refused` ...).
    @discardableResult
    public func identify(
        _ request: IdentityRequest = IdentityRequest(),
        whenBusy: ConflictPolicy = .refuse,
        retry: RetryPolicy? = nil
    ) async throws(SignetError) -> IdentityResult {
        try await self.transition(.identify, request, whenBusy, retry)
    }

    /// Tells the platform that a user logs in.
    ///
    /// - Parameters:
    ///   - request: Who, with at least one login identity of the workspace.
    ///   - whenBusy: What to do when another identity call is under way.
    ///   - retry: When and how often to try again; once when nil.
    /// - Returns: Who it is.
    /// - Throws: As ``identify(_:whenBusy:retry:)``.
    @discardableResult
    public func login(
        _ request: IdentityRequest,
        whenBusy: ConflictPolicy = .refuse,
        retry: RetryPolicy? = nil
    ) async throws(SignetError) -> IdentityResult {
        try await self.transition(.login, request, whenBusy, retry)
    }

    /// Tells the platform that the user logs out.
    ///
    /// - Parameters:
    ///   - request: Who is in front of the installation now; nobody in particular by default.
    ///   - whenBusy: What to do when another identity call is under way.
    ///   - retry: When and how often to try again; once when nil.
    /// - Returns: Who it is now, most often an anonymous user.
    /// - Throws: As ``identify(_:whenBusy:retry:)``.
    @discardableResult
    public func logout(
        _ request: IdentityRequest = IdentityRequest(),
        whenBusy: ConflictPolicy = .refuse,
        retry: RetryPolicy? = nil
    ) async throws(SignetError) -> IdentityResult {
        try await self.transition(.logout, request, whenBusy, retry)
    }

    /// Changes identities of one user: sends what differs from what is known here, nothing when nothing does.
    ///
    /// An identity of the device in it is the device's from then on, as after ``setDeviceIdentity(_:for:)``, unless the request
    /// names a user who is not current.
    ///
    /// - Parameters:
    ///   - request: The identities to set, nil for those to remove. It changes the user it was made from, else the one who
    ///     is current when this is called, even if another one is by the time the platform answers.
    ///   - whenBusy: What to do when another identity call is under way.
    ///   - retry: When and how often to try again; once when nil.
    /// - Returns: The user as known now, and who lost an identity to them.
    /// - Throws: As ``identify(_:whenBusy:retry:)``; `noUser` when nobody is known yet.
    @discardableResult
    public func modify(
        _ request: IdentityRequest,
        whenBusy: ConflictPolicy = .refuse,
        retry: RetryPolicy? = nil
    ) async throws(SignetError) -> ModifyResult {
        switch try await self.perform(.modify(request), request, whenBusy, retry) {
        case .modified(let result): return result
        case .failed(let error): throw error
        case .resolved, .searched: throw .mixedUp
        }
    }

    /// Looks a user up without changing anything, here or there.
    ///
    /// - Parameters:
    ///   - request: What is known of the user, at least one identity. Device identities are not added.
    ///   - whenBusy: What to do when another identity call is under way.
    ///   - retry: When and how often to try again; once when nil.
    /// - Returns: Whom the platform found, or that it found nobody.
    /// - Throws: As ``identify(_:whenBusy:retry:)``.
    public func search(
        _ request: IdentityRequest,
        whenBusy: ConflictPolicy = .refuse,
        retry: RetryPolicy? = nil
    ) async throws(SignetError) -> SearchResult {
        guard !request.values.isEmpty else {
            throw SignetError(.invalidArgument, "A search needs at least one identity.")
        }
        switch try await self.perform(.search(request), request, whenBusy, retry) {
        case .searched(let result): return result
        case .failed(let error): throw error
        case .resolved, .modified: throw .mixedUp
        }
    }

    private func transition(
        _ transition: IdentityCall.Transition,
        _ request: IdentityRequest,
        _ whenBusy: ConflictPolicy,
        _ retry: RetryPolicy?
    ) async throws(SignetError) -> IdentityResult {
        try await self.perform(.transition(transition, request), request, whenBusy, retry).identityResult
    }

    private func perform(
        _ call: IdentityCall,
        _ request: IdentityRequest,
        _ whenBusy: ConflictPolicy,
        _ retry: RetryPolicy?
    ) async throws(SignetError) -> IdentityOutcome {
        try request.validate()
        try retry?.validate()
        guard self.core.phase == .open else { throw .closed }
        return await self.core.identity.perform(call, whenBusy: whenBusy, retry: retry)
    }
}

extension IdentityOutcome {
    fileprivate var identityResult: IdentityResult {
        get throws(SignetError) {
            switch self {
            case .resolved(let result): return result
            case .failed(let error): throw error
            case .modified, .searched: throw .mixedUp
            }
        }
    }
}
