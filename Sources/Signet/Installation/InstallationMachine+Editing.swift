// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

extension InstallationMachine {
    /// Saves changes of a user's attributes and consent together, and logs those of attributes.
    ///
    /// - Parameters:
    ///   - editor: The changes, made on a snapshot of the user.
    ///   - transaction: The transaction.
    /// - Returns: Nil if they are saved; an editor of the user as of now if the snapshot is out of date.
    /// - Throws: `closed`, `noUser`, `optedOut`, `invalidArgument`; nothing was changed.
    mutating func save(
        _ editor: UserEditor,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) -> UserEditor? {
        try self.requireOpen()
        guard let current = UserEditor(of: editor.mpid, in: self.state.directory) else { throw .noUser }
        guard current.base == editor.base else { return current }
        let attributes = editor.edited.attributes
        if !attributes.events.isEmpty, self.isOptedOut { throw .optedOut }
        if attributes.hasSet, let violation = UserLimits.violation(of: attributes.attributes) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        let isConsentChanged = editor.edited.consent != editor.base.consent
        let consent = try editor.edited.consent?.checked(now: transaction.moment.now.milliseconds)
        guard isConsentChanged || !attributes.events.isEmpty else { return nil }
        if isConsentChanged { self.state.directory.entries[editor.mpid]?.consent = consent }
        self.state.directory.take(attributes, of: editor.mpid)
        self.saveIdentity(&transaction)
        transaction.step(&self)
        self.log(attributes.events.map { UserUpdate($0, of: editor.mpid) }, &transaction)
        return nil
    }
}
