//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal

extension RuntimeServices {
    /// Removes contexts of installations that nobody uses any more, if it is time for that.
    ///
    /// One caller at a time.
    func sweepContexts() throws(SignetError) {
        guard self.ownContexts.isSweepDue(now: self.time.uptime) else { return }
        _ = try self.ownContexts.sweep(now: self.time.uptime) { used throws(SignetError) in
            try self.noteLoggedContexts(&used)
        }
    }

    /// Adds the numbers of what was said of installations when the events were logged that are not settled.
    func noteLoggedContexts(_ used: inout Set<UInt32>) throws(SignetError) {
        // Those in memory, because the disk did not take them, are of the journal, too.
        _ = try self.lastSequence()
        try self.journal.noteContexts(&used)
    }
}
