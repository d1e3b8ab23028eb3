// SPDX-License-Identifier: Apache-2.0

public import SignetModel

// Consent of users and devices. Persisted before the call returns; works without `run()`, and while opted out. A change
// is not an event: the next batch of the user carries it, with `events.userFacts` of `.all` each one.
extension Installation {
    /// Sets the whole consent of a user, replacing the state in `User.consent`.
    ///
    /// It is the user's on all installations of the directory, or of the shared store. A batch of the user carries it
    /// (``SignetConfiguration/Events/userFacts``). If the user has no event within an upload interval, a
    /// batch without events does.
    ///
    /// - Parameters:
    ///   - consent: The state; nil removes it. To withdraw a consent, set a refusal: that the platform forgets a
    ///     removed one is not documented.
    ///   - mpid: The user's MPID; nil for the current user at the call. Before the first user, it is kept for that
    ///     user.
    /// - Throws: `invalidArgument` for more than 100 purposes, two that are the same, or one without 1 to 256
    ///   characters. Also for a document, location or hardware id of more than 4096 characters, a timestamp outside the
    ///   years 1 to 9999, or more than 16 KiB of JSON. `noUser` for a user who was never here, `closed`, `diskFull`,
    ///   `diskFailed`, `notRunning` after the end of the runtime. After an error nothing was changed, with one
    ///   exception: after `diskFull`, `diskFailed` and, of a shared store, `outcomeUnknown`, the answer may count;
    ///   `User.consent` has it then.
    public func setConsent(_ consent: ConsentState?, of mpid: MPID? = nil) async throws(SignetError) {
        let target = mpid ?? self.core.identityState.directory.current
        let checked = try self.checked(consent)
        try await self.core.setConsent(checked, of: target)
    }

    /// Sets the consent for every user of the installation.
    ///
    /// It counts from now on: a user's later answer counts more, on whichever installation it is given, and so does the
    /// later consent of another installation. With ``SignetConfiguration/Events/UserFacts/all`` it supersedes the users' own
    /// while it is set.
    ///
    /// - Parameter consent: The state; nil removes it, and answers of users that it superseded count as given now.
    ///   An answer without a timestamp has that of the call: it is another state, and counts as set now.
    /// - Throws: As ``setConsent(_:of:)``.
    public func setInstallationConsent(_ consent: ConsentState?) async throws(SignetError) {
        let checked = try self.checked(consent)
        try await self.core.setInstallationConsent(checked)
    }

    /// The consent for every user of the installation; nil if each user's own consent applies.
    public var installationConsent: ConsentState? {
        self.core.identityState.consent
    }

    private func checked(_ consent: ConsentState?) throws(SignetError) -> ConsentState? {
        guard self.core.phase == .open else { throw .closed }
        return try consent?.checked(now: self.core.context.time.milliseconds)
    }
}
