//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

// What users and devices agreed to. Persisted when the call returns; works without `run()`, and while opted out. A change is
// no event of its own: every batch that is made from then on carries the state.
extension Installation {
    /// Sets what a user agreed to, all of it at once; `User.consent` has what was set before.
    ///
    /// - Parameters:
    ///   - consent: The state; nil removes it.
    ///   - mpid: Whose; nil for whoever is current at the call. While nobody is known, it is kept for the first user.
    /// - Throws: `invalidArgument` for an empty purpose or one of more than 256 characters, two that are the same, more
    ///   than 100, a document, location or hardware id of more than 4096 characters, a timestamp that is not of the years
    ///   1 to 9999, or more than 16 KiB of JSON; `noUser` for a user who was never here, `closed`, `diskFull`,
    ///   `diskFailed`, `notRunning` after the end of the runtime. Then nothing was changed.
    public func setConsent(_ consent: ConsentState?, of mpid: MPID? = nil) async throws(SignetError) {
        let target = mpid ?? self.core.identityState.directory.current
        let checked = try self.checked(consent)
        try await self.core.identity.setConsent(checked, of: target)
    }

    /// Sets what holds for every user of the installation; it supersedes what users agreed to, while it is there.
    ///
    /// - Parameter consent: The state; nil removes it.
    /// - Throws: As ``setConsent(_:of:)``.
    public func setInstallationConsent(_ consent: ConsentState?) async throws(SignetError) {
        try await self.core.identity.setInstallationConsent(try self.checked(consent))
    }

    /// What holds for every user of the installation; nil when users speak for themselves.
    public var installationConsent: ConsentState? {
        self.core.identityState.consent
    }

    private func checked(_ consent: ConsentState?) throws(SignetError) -> ConsentState? {
        guard self.core.phase == .open else { throw .closed }
        return try consent?.checked(now: self.core.services.time.milliseconds)
    }
}
