//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

extension SessionStateMachine {
    /// What the app said of the session; nil without one.
    var attributes: [String: AttributeValue]? {
        get { self.active?.extras.attributes }
        set {
            guard let newValue else { return }
            self.active?.extras.attributes = newValue
        }
    }

    /// The accounts of the session as of its last event; nil without one.
    var tally: SessionTotals? {
        self.active?.tally
    }

    /// The number of what the configuration said when the session began; nil without one.
    @inline(__always)
    var context: UInt16? {
        self.active?.context
    }

    /// When the last event was; nil without a session.
    var lastMoment: SessionTimestamp? {
        self.active?.last
    }
}
