// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension SessionStateMachine {
    /// Removes an erased user from the open session, which continues.
    mutating func forget(_ mpid: MPID) {
        self.active?.forget(mpid)
    }
}
