// SPDX-License-Identifier: Apache-2.0

/// The installation as the service has it, and what the app has changed since.
struct InstallationReplica: Sendable, Hashable {
    var known = LastKnown.exact(InfobipInstallation())
    var changes = InfobipInstallationChanges()

    /// True if there are changes that a depersonalize takes back.
    var hasPersonChanges: Bool { !self.changes.ofPerson.isEmpty }

    /// Takes over changes, but those without effect.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - hidesPerson: True if the service may have the attributes of another person.
    mutating func save(_ changes: InfobipInstallationChanges, hidesPerson: Bool) {
        var changed = changes
        let waiting = self.changes
        if let known = self.known.certain {
            func isSame(_ change: (inout InfobipInstallationChanges) -> Void) -> Bool {
                var one = InfobipInstallationChanges()
                change(&one)
                return InstallationPatchBody(one, current: known).isEmpty
            }
            if !waiting.applicationUserID.isTouched, isSame({ $0.applicationUserID = changes.applicationUserID }) {
                changed.applicationUserID = .untouched
            }
            if waiting.isPushRegistrationEnabled == nil,
                isSame({ $0.isPushRegistrationEnabled = changes.isPushRegistrationEnabled })
            {
                changed.isPushRegistrationEnabled = nil
            }
            if !hidesPerson, waiting.isPrimary == nil, isSame({ $0.isPrimary = changes.isPrimary }) {
                changed.isPrimary = nil
            }
            changed.customAttributes = changes.customAttributes.filter { key, change in
                hidesPerson || waiting.customAttributes[key] != nil || !isSame { $0.customAttributes[key] = change }
            }
        }
        self.changes = waiting.then(changed)
    }

    /// Takes over the answer to a registration; what was saved meanwhile is sent.
    ///
    /// - Parameters:
    ///   - installation: The answer.
    ///   - isAttached: True if the service has the person: only then what is the person's counts.
    mutating func register(_ installation: InfobipInstallation, isAttached: Bool) {
        let changes = self.changes
        self.known = .exact(installation)
        self.changes = changes.without(changes.saved(by: installation))
        if !isAttached { self.changes = self.changes.then(changes.ofPerson) }
    }

    /// Takes over what an answer about the person says of this installation.
    mutating func learn(_ own: InfobipInstallation) {
        self.known.value.isPrimary = own.isPrimary
        self.known.value.isPushRegistrationEnabled = own.isPushRegistrationEnabled
    }

    /// The person's data on the installation has left with them.
    mutating func clearPerson() {
        self.known.value.customAttributes = [:]
        self.known.value.isPrimary = false
    }

    /// Drops changes that are the person's: they would be another's.
    mutating func dropPersonChanges() {
        guard self.hasPersonChanges else { return }
        self.changes = self.changes.without(self.changes.ofPerson)
        // The service may have taken them from a request without an answer.
        self.known.doubt()
    }
}

extension InfobipInstallationChanges {
    /// The changes that an installation has already.
    fileprivate func saved(by installation: InfobipInstallation) -> InfobipInstallationChanges {
        var saved = self
        if self.applicationUserID.apply(to: nil) != installation.applicationUserID {
            saved.applicationUserID = .untouched
        }
        if self.isPrimary != installation.isPrimary { saved.isPrimary = nil }
        if self.isPushRegistrationEnabled != installation.isPushRegistrationEnabled {
            saved.isPushRegistrationEnabled = nil
        }
        saved.customAttributes = self.customAttributes.filter {
            $0.value.apply(to: nil) == installation.customAttributes[$0.key]
        }
        return saved
    }
}
