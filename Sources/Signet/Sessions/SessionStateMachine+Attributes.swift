// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension SessionStateMachine {
    /// The attributes of the session; nil without one.
    var attributes: [String: AttributeValue]? {
        get { self.active?.extras.attributes }
        set {
            guard let newValue else { return }
            self.active?.extras.attributes = newValue
        }
    }

    /// The totals of the session as of its last event; nil without one.
    var totals: SessionTotals? {
        self.active?.totals
    }

    /// The number of the configuration context at the session's begin; nil without a session.
    @inline(__always)
    var context: UInt16? {
        self.active?.context
    }

    /// The time of the last event; nil without a session.
    var lastMoment: SessionTimestamp? {
        self.active?.last
    }
}
