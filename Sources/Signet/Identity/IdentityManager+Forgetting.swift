// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension IdentityManager {
    /// Erases a user.
    ///
    /// - Returns: The state of the installation before and now; nil if another object has replaced this one.
    /// - Throws: An error if the disk refuses it; then nothing was changed.
    func forget(_ mpid: MPID) throws(SignetError) -> (before: IdentityState, now: IdentityState)? {
        // No suspension between the two: an answer that arrives meanwhile finds the user gone, or is erased with them.
        guard let home = self.home.target else { return nil }
        let before = self.machine.state
        guard let state = try home.forget(mpid) else { return nil }
        self.machine.replaceState(state)
        return (before, state)
    }
}
