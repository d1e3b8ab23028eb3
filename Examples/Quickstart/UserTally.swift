// SPDX-License-Identifier: Apache-2.0

import Signet

/// What a subscriber of the user changes saw.
struct UserTally: Sendable, Hashable {
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
            switch change.previous?.mpid {
            case nil: self.arrivals += 1
            case change.current?.mpid: self.turns += 1
            default: self.switches += 1
            }
        }
        self.missed = changes.droppedCount
    }
}
