//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Signet

/// What a replay has shown.
struct ReplayReport: Equatable {
    /// One user of the platform.
    struct PlatformUser: Equatable {
        let mpid: MPID
        let isKnown: Bool
        /// IDSync wire name to value.
        let identities: [String: String]
        /// Events API event type to number.
        var events: [String: Int] = [:]
        var sessions = 0
        var revenue = 0.0
    }

    /// The sums.
    struct Totals: Equatable {
        /// What the runtime was given or added by itself, by event type.
        var logged: [String: Int] = [:]
        /// What the platform has, by event type.
        var received: [String: Int] = [:]
        var sessionsBegun = 0
        var sessionsEnded = 0
        var userChanges = 0
        /// Changes in which another user took the place of one.
        var switches = 0
        var idsyncRequests = 0
        /// Requests of all kinds, by endpoint.
        var requests: [String: Int] = [:]
        var logins = 0
        var failedCalls = 0
        /// Lengths of the sessions that ended, in seconds, ascending.
        var sessionLengths: [Double] = []

        var sessionsOpen: Int {
            self.sessionsBegun - self.sessionsEnded
        }

        /// Logged and never received, or received and never logged.
        var lost: Int {
            Set(self.logged.keys).union(self.received.keys).reduce(0) {
                $0 + abs(self.logged[$1, default: 0] - self.received[$1, default: 0])
            }
        }
    }

    var users: [PlatformUser]
    var totals: Totals
}
