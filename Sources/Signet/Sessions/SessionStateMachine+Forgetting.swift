//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

extension SessionStateMachine {
    /// Somebody is erased: the open session goes on without them.
    mutating func forget(_ mpid: MPID) {
        self.active?.forget(mpid)
    }
}
