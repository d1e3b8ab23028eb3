// SPDX-License-Identifier: Apache-2.0

import Signet

/// What a subscriber of the user changes saw.
struct UserTally: Sendable, Hashable {
    /// A change of the current user of an installation.
    struct Change: Sendable, Hashable {
        let installation: InstallationID
        /// Milliseconds since 1970.
        let at: Int64
        let previous: MPID?
        let current: MPID
        /// The customer id of the current user; nil for one who is not known.
        let customer: String?

        fileprivate init?(_ change: UserChange) {
            guard let current = change.current else { return nil }
            self.installation = change.installation
            self.at = current.lastSeen.wholeMilliseconds
            self.previous = change.previous?.mpid
            self.current = current.mpid
            self.customer = current.isLoggedIn ? current.identities[.customerID]?.value : nil
        }
    }

    /// All changes, in order.
    private(set) var changes: [Change] = []
    /// First users of an installation.
    private(set) var arrivals = 0
    /// Another user than before.
    private(set) var switches = 0
    /// The same user, known or unknown from now on.
    private(set) var turns = 0
    /// Changes that came too fast to be seen.
    private(set) var missed = 0

    init(_ changes: Updates<UserChange>) async {
        for await change in changes {
            if let change = Change(change) { self.changes.append(change) }
            switch change.previous?.mpid {
            case nil: self.arrivals += 1
            case change.current?.mpid: self.turns += 1
            default: self.switches += 1
            }
        }
        self.missed = changes.droppedCount
    }
}
