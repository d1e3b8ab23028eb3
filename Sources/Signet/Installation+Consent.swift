// SPDX-License-Identifier: Apache-2.0

public import SignetModel

// Consent of users and devices. Persisted before the call returns; works without `run()`, and while opted out. A change
// is not an event: every batch that is made from then on carries the state.
extension Installation {
    /// Sets the whole consent of a user, replacing the state in `User.consent`.
    ///
    /// Batches of the user carry it. If the user has no event within an upload interval, a batch without events does.
    ///
    /// - Parameters:
    ///   - consent: The state; nil removes it.
    ///   - mpid: The user's MPID; nil for the current user at the call. Before the first user, it is kept for that
    ///     user.
    /// - Throws: `invalidArgument` for more than 100 purposes, two that are the same, or one without 1 to 256
    ///   characters. Also for a document, location or hardware id of more than 4096 characters, a timestamp outside the
    ///   years 1 to 9999, or more than 16 KiB of JSON. `noUser` for a user who was never here, `closed`, `diskFull`,
    ///   `diskFailed`, `notRunning` after the end of the runtime. After an error nothing was changed.
    public func setConsent(_ consent: ConsentState?, of mpid: MPID? = nil) async throws(SignetError) {
        let target = mpid ?? self.core.identityState.directory.current
        let checked = try self.checked(consent)
        try await self.core.setConsent(checked, of: target)
    }

    /// Sets the consent for every user of the installation; while it is set, it supersedes the users' own consent.
    ///
    /// - Parameter consent: The state; nil removes it.
    /// - Throws: As ``setConsent(_:of:)``.
    public func setInstallationConsent(_ consent: ConsentState?) async throws(SignetError) {
        let checked = try self.checked(consent)
        try await self.core.changeState { $0.state.setInstallationConsent(checked) }
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
