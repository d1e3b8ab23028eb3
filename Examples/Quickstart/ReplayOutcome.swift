// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetTrace

/// What came of a replay: what the apps and the subscribers saw, and what the platform knows.
struct ReplayOutcome: Sendable {
    let visitors: VisitorTally
    let users: UserTally
    let sessions: SessionTotals
    let statistics: SignetStatistics
    let platform: PlatformReport
    /// The platform itself, as the day has left it.
    let emulator: Emulator
    /// What Iterable's API then knows; nil for a day without it.
    let activation: ActivationReport?

    init(
        visitors: VisitorTally,
        users: UserTally,
        sessions: SessionTotals,
        statistics: SignetStatistics,
        platform: Emulator,
        activation: ActivationReport? = nil
    ) {
        self.visitors = visitors
        self.users = users
        self.sessions = sessions
        self.statistics = statistics
        self.platform = PlatformReport(platform)
        self.emulator = platform
        self.activation = activation
    }

    /// Events by `event_type`, those that the runtime adds for the begin and the end of sessions included.
    var logged: [String: Int] {
        var logged = self.visitors.logged
        logged["session_start"] = self.sessions.begun
        logged["session_end"] = self.sessions.ended
        return logged.filter { $0.value > 0 }
    }

    /// Sessions that have begun and not ended.
    var sessionsOpen: Int {
        self.sessions.begun - self.sessions.ended
    }

    /// Events that were logged and never received, or received and never logged.
    var lost: Int {
        let (logged, received) = (self.logged, self.platform.received)
        return Set(logged.keys).union(received.keys).reduce(0) {
            $0 + abs(logged[$1, default: 0] - received[$1, default: 0])
        }
    }

    /// Changes that a subscriber did not see.
    var missed: Int {
        self.users.missed + self.sessions.missed
    }
}
