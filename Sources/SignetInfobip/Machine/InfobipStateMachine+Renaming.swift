// SPDX-License-Identifier: Apache-2.0

import Signet

// A save may rename the person, or remove the only name. Without an answer the outcome is unknown: the person that the
// service names next has the old names or the new ones, or is another person.
extension InfobipStateMachine {
    /// The most remembered renames; a person with names from before them is taken for another.
    private static let most = 16

    /// Remembers the names of a save without an answer.
    mutating func beginNames(_ changes: InfobipUserChanges) {
        let names = changes.without(changes.withoutIdentity)
        guard !names.isEmpty, self.unansweredNames.last != names else { return }
        self.unansweredNames = self.unansweredNames.suffix(Self.most - 1) + [names]
    }

    /// True if a save without an answer has renamed the person to the one that was found.
    func isRenamed(_ user: InfobipUser) -> Bool {
        self.unansweredNames.contains { names in
            let before = self.memory.user
            // Names that the save does not touch remain.
            guard before.externalUserID == nil || names.externalUserID.isTouched,
                before.phones.isEmpty || names.phones.isTouched, before.emails.isEmpty || names.emails.isTouched
            else { return false }
            let renamed = before.applying(names)
            guard !renamed.hasIdentity else { return renamed.isSame(as: user) }
            // A nameless person may also be a new one in their place. It is the same if the service has other known
            // data of them.
            let known = self.user.attributes.changes
            return !user.hasIdentity && user.lacking(known) != known
        }
    }
}
