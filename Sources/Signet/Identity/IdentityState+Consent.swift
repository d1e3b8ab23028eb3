// SPDX-License-Identifier: Apache-2.0

import SignetModel

// Consents, and those that the platform does not have. A change of consent is no event: without one, a batch of its own carries it.
extension IdentityState {
    /// Sets the consent of a user, and notes that the platform does not have it.
    ///
    /// - Parameters:
    ///   - state: The consent; nil or an empty one removes it.
    ///   - mpid: A user of the directory; nil for the first user, who is not known yet.
    ///   - isNew: True if it is an answer, even if the installation knows no other.
    ///   - facts: The facts that batches carry: with all, the consent of the installation supersedes it.
    mutating func setConsent(
        _ state: ConsentState?,
        of mpid: MPID?,
        isNew: Bool = false,
        carrying facts: SignetConfiguration.Events.UserFacts = .changes
    ) {
        // A state without purposes is none; the platform gets it once as an empty one.
        let consent = state?.isEmpty == true ? nil : state
        guard let mpid else {
            guard consent != self.directory.anonymousConsent else { return }
            self.directory.anonymousConsent = consent
            // The platform has none of them yet that a removal could concern.
            let isSaid = consent != nil || self.consent != nil
            self.directory.unsentAnonymousConsent = isSaid ? self.directory.nextNumber() : nil
            return
        }
        guard let entry = self.directory.entries[mpid], isNew || consent != entry.consent else { return }
        self.directory.entries[mpid]?.consent = consent
        // That of the installation supersedes it: batches carry the same as before.
        guard self.consent == nil || facts == .changes && !entry.isEphemeral else { return }
        let number = self.directory.nextNumber()
        self.directory.entries[mpid]?.unsentConsent = number
    }

    /// Takes over the latest consent of a user, which their record says.
    mutating func follow(_ latest: UserConsent) {
        guard var entry = self.directory.entries[latest.mpid], !entry.isEphemeral else { return }
        entry.consent = latest.consent
        self.directory.entries[latest.mpid] = entry
    }

    /// Notes that the platform does not have the latest consent of a user, which their record says.
    mutating func oweConsent(of mpid: MPID) {
        self.directory.oweConsent(of: mpid)
    }

    /// Sets the configured consent of the current user, or of the first one, unless one is known; a batch with events
    /// brings it.
    ///
    /// - Parameters:
    ///   - consent: The consent.
    ///   - isAnswered: Returns true if the user has answered on another installation.
    /// - Throws: The error of `isAnswered`; then nothing was changed.
    mutating func setDefaultConsent(
        _ consent: ConsentState,
        unless isAnswered: (MPID) throws(SignetError) -> Bool = { _ in false }
    ) throws(SignetError) {
        guard self.consent == nil else { return }
        guard let current = self.directory.current else {
            if self.directory.anonymousConsent == nil { self.directory.anonymousConsent = consent }
            return
        }
        // Removed by the app: the platform has to get that, and no default instead.
        guard var entry = self.directory.entries[current], entry.consent == nil, entry.unsentConsent == nil,
            try !isAnswered(current)
        else { return }
        entry.consent = consent
        self.directory.awaitEvents(with: &entry)
        self.directory.entries[current] = entry
    }

    /// Takes over the latest consent of a user who becomes current; another installation may have it.
    ///
    /// - Parameters:
    ///   - latest: The record of the user.
    ///   - mpid: The user.
    ///   - before: The users before.
    mutating func takeConsent(_ latest: UserConsent, of mpid: MPID, after before: UserDirectory) {
        guard var entry = self.directory.entries[mpid], !entry.isEphemeral else { return }
        let isInherited = before.entries[mpid]?.consent == nil && entry.consent != nil
        // An answer of before anyone was known counts if it is later.
        let isAnswer = isInherited && before.unsentAnonymousConsent != nil
        if isAnswer, let newest = entry.consent?.newest, newest > latest.version { return }
        entry.consent = latest.consent
        if isInherited, self.consent == nil { (entry.unsentConsent, entry.consentForEvents) = (nil, nil) }
        self.directory.entries[mpid] = entry
    }

    /// Takes over the latest consent of a user from the directory that the installation leaves for a shared row.
    mutating func takeConsentOfDirectory(_ latest: UserConsent) {
        guard let latest = latest.answered, var entry = self.directory.entries[latest.mpid], !entry.isEphemeral
        else { return }
        entry.consent = latest.consent
        if latest.version > latest.accepted, entry.unsentConsent == nil {
            entry.unsentConsent = self.directory.nextNumber()
        }
        self.directory.entries[latest.mpid] = entry
    }

    /// Sets the consent for all users, and notes that the platform does not have it.
    ///
    /// - Parameters:
    ///   - consent: The consent; nil removes it.
    ///   - moment: The moment from which it counts, in milliseconds since 1970.
    mutating func setInstallationConsent(_ consent: ConsentState?, at moment: Int64) {
        guard consent != self.consent else { return }
        self.consentMoment = consent == nil ? 0 : max(moment, self.consentMoment + 1)
        self.consent = consent
        let number = self.directory.nextNumber()
        for mpid in Array(self.directory.entries.keys) { self.directory.entries[mpid]?.unsentConsent = number }
        guard self.directory.firstUser == nil else { return }
        let isSaid = consent != nil || self.directory.anonymousConsent != nil
        self.directory.unsentAnonymousConsent = isSaid ? number : nil
    }

    /// Notes that the platform does not have the consent of all users from a user who is new here.
    mutating func noteNewUser(_ mpid: MPID) {
        guard self.consent != nil, var entry = self.directory.entries[mpid], entry.unsentConsent == nil else { return }
        self.directory.awaitEvents(with: &entry)
        self.directory.entries[mpid] = entry
    }

    /// The consents that the platform gets without an event, by user, with the numbers of their last changes; none
    /// while opted out.
    var unsentConsents: [MPID: Int64] {
        self.isOptedOut ? [:] : self.directory.entries.compactMapValues(\.owedConsent)
    }

    /// True if the platform lacks facts that it gets without a call of the app: consents, or the push token of the current user.
    ///
    /// False while opted out, because nothing is sent. The opt-in writes the record again.
    var owesFacts: Bool {
        guard !self.isOptedOut else { return false }
        return self.owesPushToken || self.directory.entries.values.contains { $0.owedConsent != nil }
    }

    /// True if the platform lacks the push token of the current user; false while opted out.
    var owesPushToken: Bool {
        !self.isOptedOut && self.pushTokenChange != nil
    }
}

extension UserDirectory.Entry {
    /// True if the platform lacks facts of the user that their next batch brings: attributes, removals, or an answer about consent.
    ///
    /// A consent that only a batch with events brings is none: it goes with the events, whether the user stays or not.
    var hasUnsentFacts: Bool {
        !self.changed.isEmpty || !self.removals.isEmpty || self.owedConsent != nil
    }

    /// The number of the last change of the consent that the platform gets without an event; nil for none.
    fileprivate var owedConsent: Int64? {
        self.unsentConsent == self.consentForEvents ? nil : self.unsentConsent
    }
}

extension UserDirectory {
    /// Notes that the platform does not have the latest consent of a user, which their record says.
    mutating func oweConsent(of mpid: MPID) {
        guard var entry = self.entries[mpid], !entry.isEphemeral else { return }
        // Its batch, with or without events, carries what the record says then.
        (entry.unsentConsent, entry.consentForEvents) = (self.nextNumber(), nil)
        self.entries[mpid] = entry
    }

    fileprivate mutating func nextNumber() -> Int64 {
        self.lastChange += 1
        return self.lastChange
    }

    /// Notes that the platform does not have a consent, and that no batch without events is made for it.
    fileprivate mutating func awaitEvents(with entry: inout Entry) {
        let number = self.nextNumber()
        (entry.unsentConsent, entry.consentForEvents) = (number, number)
    }

    /// The answer of before anyone was known, if the first user has it by now.
    func anonymousAnswer(inheritedIn after: UserDirectory) -> (mpid: MPID, consent: ConsentState)? {
        guard let consent = self.anonymousConsent, self.unsentAnonymousConsent != nil, self.firstUser == nil,
            let mpid = after.firstUser, let entry = after.entries[mpid], !entry.isEphemeral, entry.consent == consent
        else { return nil }
        return (mpid, consent)
    }

    /// Gives the first user the consent of before, unless they have one.
    mutating func inheritConsent(by entry: inout Entry) {
        let (anonymous, number) = (self.anonymousConsent, self.unsentAnonymousConsent)
        (self.anonymousConsent, self.unsentAnonymousConsent) = (nil, nil)
        let isInherited = entry.consent == nil && anonymous != nil
        if isInherited { entry.consent = anonymous }
        if let number {
            entry.unsentConsent = number
        } else if isInherited {
            // A default.
            self.awaitEvents(with: &entry)
        }
    }
}
