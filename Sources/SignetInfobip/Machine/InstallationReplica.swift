// SPDX-License-Identifier: Apache-2.0

/// The installation as the service has it, and what the app has changed since.
struct InstallationReplica: Sendable, Hashable {
    var known = LastKnown.exact(InfobipInstallation())
    var edits = InfobipInstallationEdits()

    /// True if there are changes that a depersonalize takes back.
    var hasPersonChanges: Bool { !self.edits.fieldsOfPerson.isEmpty }

    /// The fields of changes that differ from what the service has, or may have.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - hidesPerson: True if the service may have the attributes of another person.
    /// - Returns: The fields to send.
    func changed(by changes: InfobipInstallationChanges, hidesPerson: Bool) -> Set<InfobipField> {
        guard let known = self.known.certain else { return changes.fields }
        return changes.fields.filter { field in
            // The person's other devices change the primary flag, too: what was read of it may be old.
            field == .isPrimary || hidesPerson && field.leavesWithPerson || self.edits.numbers[field] != nil
                || !InstallationPatchBody(changes.only([field]), current: known).isEmpty
        }
    }

    /// Takes over the answer to a registration; what was saved meanwhile is sent.
    ///
    /// - Parameters:
    ///   - installation: The answer.
    ///   - isAttached: True if the service has the person: only then what is the person's counts.
    mutating func register(_ installation: InfobipInstallation, isAttached: Bool) {
        self.known = .exact(installation)
        let saved = self.edits.changes.saved(by: installation)
        self.edits.remove(isAttached ? saved : saved.subtracting(self.edits.fieldsOfPerson))
    }

    /// The service has taken edits; what was asked for again since then is still to be sent.
    mutating func saved(_ edits: InfobipInstallationEdits) {
        self.edits.remove(sent: edits)
        self.known.value = self.known.value.applying(edits.changes)
    }

    /// The service has refused edits, for good; it may have taken an earlier attempt.
    mutating func refused(_ edits: InfobipInstallationEdits) {
        self.edits.remove(sent: edits)
        self.known.doubt()
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
        self.edits = self.edits.ofDevice
        // The service may have taken them from a request without an answer.
        self.known.doubt()
    }
}

extension InfobipInstallationChanges {
    /// The fields that an installation has already.
    fileprivate func saved(by installation: InfobipInstallation) -> Set<InfobipField> {
        self.fields.filter { installation.applying(self.only([$0])) == installation }
    }
}
