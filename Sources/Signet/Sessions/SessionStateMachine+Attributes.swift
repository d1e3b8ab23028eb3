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
        get {
            switch self.state {
            case .none: nil
            case .active(let active): active.extras.attributes
            }
        }
        set {
            guard case .active(var active) = self.state, let newValue else { return }
            active.extras.attributes = newValue
            self.state = .active(active)
        }
    }

    /// The accounts of the session as of its last event; nil without one.
    var tally: SessionTally? {
        switch self.state {
        case .none: nil
        case .active(let active): active.tally
        }
    }

    /// The number of what the configuration said when the session began; nil without one.
    @inline(__always)
    var context: UInt16? {
        switch self.state {
        case .none: nil
        case .active(let active): active.context
        }
    }

    /// When the last event was; nil without a session.
    var lastMoment: SessionMoment? {
        switch self.state {
        case .none: nil
        case .active(let active): active.last
        }
    }
}
