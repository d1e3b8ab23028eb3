//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

extension IdentityManager {
    /// Forgets a user.
    ///
    /// - Returns: What the installation remembered before and remembers from now on; nil when the object is no longer that
    ///   of its installation.
    /// - Throws: When the disk refuses it; then nothing was changed.
    func forget(_ mpid: MPID) throws(SignetError) -> (before: IdentityState, now: IdentityState)? {
        // No suspension between the two: an answer that comes meanwhile finds the user gone, or is forgotten with them.
        guard let home = self.home.target else { return nil }
        let before = self.machine.state
        guard let state = try home.forget(mpid) else { return nil }
        self.machine.replaceState(state)
        return (before, state)
    }
}
