// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The properties of a user that a batch contains besides the events.
struct BatchUser: Sendable {
    /// The permanent id of the installation; nil if its record cannot be read.
    var deviceApplicationStamp: UUID?
    /// The attributes at the time the batch is cut.
    var attributes: [String: AttributeValue] = [:]
    /// The attributes that were set and that the platform has not accepted, with the numbers of their changes.
    var changed: [String: Int64] = [:]
    /// Removed attributes that the platform has not accepted, with the numbers of their removals, ascending.
    var removals: [(key: String, number: Int64)] = []
    /// The consent of the user, or the one that applies to all users of the installation.
    var consent: ConsentState?
    /// The number of the last change of the consent that the platform has not accepted; nil for none.
    var unsentConsent: Int64?
    /// The version of the consent in the record of the user, or the moment of the installation's; zero if there is none,
    /// nil if no record counts.
    private(set) var version: Int64?
    /// True if the platform lacks the consent by the record of the user, whichever installation they have answered on.
    private(set) var isConsentDue = false
    /// The consent of an ephemeral user who has left; it is kept until their events are in batches.
    var departedConsent: ConsentState?
    /// The attribution of the user: how they came to the app.
    var attribution: Attribution?
    /// The attributes for integrations of the platform at the time the batch is cut.
    var integrationAttributes: [Int: [String: String]] = [:]
    /// The identities at the time the batch is cut.
    var identities: [IdentityType: String] = [:]
    /// The identities of the device at the time the batch is cut.
    var deviceIdentities: [IdentityType: String] = [:]

    /// True if the installation knows the user; others have left it.
    private var isKnown = false

    /// Makes a user of whom nothing is known.
    init() {}

    /// Makes a user of an installation; without attributes and identities if it does not know the user.
    init(_ state: IdentityState, _ mpid: MPID, departed: ConsentState?) {
        let entry = state.directory.entries[mpid]
        self.isKnown = entry != nil
        self.deviceApplicationStamp = state.deviceApplicationStamp
        self.attributes = entry?.attributes ?? [:]
        self.changed = entry?.changed ?? [:]
        self.removals = (entry?.removals ?? [:]).sorted { $0.value < $1.value }.map { ($0.key, $0.value) }
        self.unsentConsent = entry?.unsentConsent
        self.consent = state.consent ?? entry?.consent
        self.departedConsent = entry?.consent == nil ? departed : nil
        self.attribution = state.attribution
        self.integrationAttributes = state.integrations.values
        self.identities = entry?.identities.mapValues(\.value) ?? [:]
        self.deviceIdentities = state.devices.values
    }

    /// The consent that a user has left behind, unless their record, or the installation, has one that counts more.
    var consentLeftBehind: ConsentState? {
        (self.version ?? 0) > 0 ? nil : self.departedConsent
    }

    /// True if another installation has brought the consent that this one owes, or a later one.
    ///
    /// Brought again, perhaps months later, it could undo an answer that the user has given elsewhere meanwhile.
    var isConsentBrought: Bool {
        self.unsentConsent != nil && (self.version ?? 0) > 0 && !self.isConsentDue
    }

    /// Takes the consent that counts: the later of the user's answer, which another installation may have, and that of
    /// the installation.
    ///
    /// - Parameters:
    ///   - latest: The record of the user; nil for none.
    ///   - state: The installation.
    ///   - scope: The facts that batches carry: with all, the consent of the installation supersedes any answer.
    ///   - now: The moment of now, in milliseconds since 1970.
    mutating func take(
        _ latest: UserConsent?,
        on state: IdentityState,
        carrying scope: SignetConfiguration.Events.UserFacts,
        at now: Int64
    ) {
        if let consent = state.consent {
            // Each batch of each installation carries its own: the record says nothing of it.
            guard scope == .changes else { return }
            let moment = state.consentMoment
            guard let latest, latest.version >= moment else {
                self.consent = consent
                self.version = moment
                let isMet = self.isKnown || self.departedConsent != nil
                self.isConsentDue = latest?.isDue(consent, of: moment, at: now) ?? isMet
                return
            }
        }
        let answered = latest?.answered
        self.version = answered?.version ?? 0
        guard let answered else { return }
        self.consent = answered.consent
        self.isConsentDue = answered.isDue(at: now)
    }
}
