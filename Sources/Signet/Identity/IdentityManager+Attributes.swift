// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

// Attributes and consent of users are read, changed and saved without a suspension, so that two changes never overlap.
extension IdentityManager {
    /// Changes attributes of the addressed user.
    ///
    /// - Parameters:
    ///   - mpid: The user's MPID; nil before the first user.
    ///   - change: Makes the change; if it throws, nothing is changed.
    /// - Returns: The result of the change.
    /// - Throws: `optedOut`, `noUser`, `invalidArgument`, `closed`, `diskFull`, `diskFailed`; then nothing was changed.
    func changeAttributes<Result: Sendable>(
        of mpid: MPID?,
        _ change: @Sendable (inout AttributeEditor) throws(SignetError) -> Result
    ) throws(SignetError) -> Result {
        guard !self.machine.state.isOptedOut else { throw .optedOut }
        guard let home = self.home.target else { throw .closed }
        let before = home.withoutCarriedRemovals(self.machine.state)
        let target = before.directory.addressee(mpid)
        guard var editor = before.directory.editor(of: target) else { throw .noUser }
        let result = try change(&editor)
        guard !editor.events.isEmpty else { return result }
        if editor.hasSet, let violation = UserLimits.violation(of: editor.attributes) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        var next = before
        next.directory.take(editor, of: target)
        self.machine.replaceState(next)
        try self.save(orRestore: before, updates: editor.events.map { UserUpdate($0, of: target) })
        return result
    }

    /// Sets or removes the consent of the addressed user.
    func setConsent(_ consent: ConsentState?, of mpid: MPID?) throws(SignetError) {
        let before = self.machine.state
        var next = before
        if let target = before.directory.addressee(mpid) {
            guard before.directory.entries[target] != nil else { throw .noUser }
            next.directory.entries[target]?.consent = consent
        } else {
            next.directory.anonymousConsent = consent
        }
        self.machine.replaceState(next)
        try self.save(orRestore: before)
    }

    /// Sets or removes the consent that applies to all users of the installation.
    func setInstallationConsent(_ consent: ConsentState?) throws(SignetError) {
        let before = self.machine.state
        var next = before
        next.consent = consent
        self.machine.replaceState(next)
        try self.save(orRestore: before)
    }
}
