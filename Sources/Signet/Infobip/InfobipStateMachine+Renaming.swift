//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

// A save may give the person another name, or take the only one away. Without an answer nobody knows whether it has: whoever
// the service names next is the same by the old names, by those, or somebody else.
extension InfobipStateMachine {
    /// How many are remembered; by the names of one before them, somebody is taken for another.
    private static let most = 16

    /// A save has had no answer.
    mutating func beginNames(_ changes: InfobipUserChanges) {
        let names = changes.without(changes.withoutIdentity)
        guard !names.isEmpty, self.unansweredNames.last != names else { return }
        self.unansweredNames = self.unansweredNames.suffix(Self.most - 1) + [names]
    }

    /// Whether a save without an answer has made the person who is found.
    func isRenamed(_ user: InfobipUser) -> Bool {
        self.unansweredNames.contains { names in
            let before = self.memory.user
            // What it says nothing of does not go by it.
            guard before.externalUserID == nil || names.externalUserID.isTouched,
                before.phones.isEmpty || names.phones.isTouched, before.emails.isEmpty || names.emails.isTouched
            else { return false }
            let renamed = before.applying(names)
            guard !renamed.hasIdentity else { return renamed.isSame(as: user) }
            // Somebody without a name may as well be nobody, who has taken their place: it is they where the service has
            // something else of them.
            let known = self.user.attributes.changes
            return !user.hasIdentity && user.lacking(known) != known
        }
    }
}
