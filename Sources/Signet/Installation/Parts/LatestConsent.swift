// SPDX-License-Identifier: Apache-2.0

import SignetModel

// The latest consent of a user, as an installation reads it.
extension RuntimeContext {
    /// Returns the latest consent of a user in the directory; nil for none, and with a shared store.
    ///
    /// - Throws: Errors of the disk that may pass; damage is reported.
    func latestConsent(of mpid: MPID) throws(SignetError) -> UserConsent? {
        try self.consentRecord(of: mpid)?.answered
    }

    /// The same, or a record without an answer of the user: the platform was given an installation's consent.
    func consentRecord(of mpid: MPID) throws(SignetError) -> UserConsent? {
        switch try self.consents?.read(mpid) {
        case .missing, nil: return nil
        case .found(let consent): return consent
        case .unreadable(let error):
            self.reportDamage("The consent of a user cannot be read: \(error.message)", of: .consent(mpid))
            return nil
        }
    }

    /// The same for a snapshot, which keeps what the installation knows if the disk cannot be read.
    func latestConsentOrReport(of mpid: MPID) -> UserConsent? {
        do throws(SignetError) {
            return try self.latestConsent(of: mpid)
        } catch {
            self.reportDamage("The consent of a user cannot be read: \(error.message)", of: .consent(mpid))
            return nil
        }
    }
}

extension InstallationCore {
    /// The latest consent of a user: of now in a directory, as of the last reading with a shared store; nil for none.
    func latestConsent(of mpid: MPID) -> UserConsent? {
        guard let shared = self.store.shared else { return self.context.latestConsentOrReport(of: mpid) }
        return shared.latestConsent(of: mpid)
    }

    /// A snapshot of a user with their latest consent, which another installation may have.
    func withLatestConsent(_ user: User) -> User {
        guard !user.isEphemeral, let latest = self.latestConsent(of: user.mpid) else { return user }
        return user.replacing(consent: latest.consent)
    }
}
