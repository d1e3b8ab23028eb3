// SPDX-License-Identifier: Apache-2.0

import SignetJournal

extension RuntimeServices {
    /// Removes unused contexts of installations, if a sweep is due.
    ///
    /// Call it from one task at a time.
    func sweepContexts() throws(SignetError) {
        guard self.ownContexts.isSweepDue(now: self.time.uptime) else { return }
        _ = try self.ownContexts.sweep(now: self.time.uptime) { used throws(SignetError) in
            try self.noteLoggedContexts(&used)
        }
    }

    /// Adds the context numbers of all events that are not settled.
    func noteLoggedContexts(_ used: inout Set<UInt32>) throws(SignetError) {
        // Events in memory, which the disk refused, count as the journal's.
        _ = try self.lastSequence()
        try self.journal.noteContexts(&used)
    }
}
