//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

extension SessionStateMachine {
    /// Removes an erased user from the open session, which continues.
    mutating func forget(_ mpid: MPID) {
        self.active?.forget(mpid)
    }
}
