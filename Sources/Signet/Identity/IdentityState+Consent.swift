// SPDX-License-Identifier: Apache-2.0

import SignetModel

// Consents, and those that the platform does not have. A change of consent is no event: without one, a batch of its own carries it.
extension IdentityState {
    /// Sets the consent of a user, and notes that the platform does not have it.
    ///
    /// - Parameters:
    ///   - consent: The consent; nil removes it.
    ///   - mpid: A user of the directory; nil for the first user, who is not known yet.
    mutating func setConsent(_ consent: ConsentState?, of mpid: MPID?) {
        guard let mpid else {
            guard consent != self.directory.anonymousConsent else { return }
            self.directory.anonymousConsent = consent
            self.directory.unsentAnonymousConsent = self.directory.nextConsentNumber()
            return
        }
        guard let entry = self.directory.entries[mpid], consent != entry.consent else { return }
        self.directory.entries[mpid]?.consent = consent
        // That of the installation supersedes it: batches carry the same as before.
        guard self.consent == nil else { return }
        let number = self.directory.nextConsentNumber()
        self.directory.entries[mpid]?.unsentConsent = number
    }

    /// Sets the consent for all users, and notes that the platform does not have it.
    mutating func setInstallationConsent(_ consent: ConsentState?) {
        guard consent != self.consent else { return }
        self.consent = consent
        let number = self.directory.nextConsentNumber()
        for mpid in Array(self.directory.entries.keys) { self.directory.entries[mpid]?.unsentConsent = number }
        if self.directory.firstUser == nil { self.directory.unsentAnonymousConsent = number }
    }

    /// The consents that the platform does not have, by user, with the numbers of their last changes; none while opted out.
    var unsentConsents: [MPID: Int64] {
        self.isOptedOut ? [:] : self.directory.entries.compactMapValues(\.unsentConsent)
    }

    /// True if the platform lacks facts that it gets without a call of the app: consents, or the push token of the current user.
    ///
    /// False while opted out, because nothing is sent. The opt-in writes the record again.
    var owesFacts: Bool {
        guard !self.isOptedOut else { return false }
        return self.owesPushToken || self.directory.entries.values.contains { $0.unsentConsent != nil }
    }

    /// True if the platform lacks the push token of the current user; false while opted out.
    var owesPushToken: Bool {
        !self.isOptedOut && self.pushTokenChange != nil
    }
}

extension UserDirectory {
    fileprivate mutating func nextConsentNumber() -> Int64 {
        self.lastRemoval += 1
        return self.lastRemoval
    }

    /// Notes that the platform has a user's consent, as of its last change up to a number.
    ///
    /// - Returns: True if it was noted as unsent until now.
    mutating func consentSent(of mpid: MPID, upTo number: Int64) -> Bool {
        guard let unsent = self.entries[mpid]?.unsentConsent, unsent <= number else { return false }
        self.entries[mpid]?.unsentConsent = nil
        return true
    }
}
