// SPDX-License-Identifier: Apache-2.0

import SignetTrace

/// The last words of the quickstart: a day in one table.
struct DayTable: CustomStringConvertible {
    private let outcome: ReplayOutcome

    init(_ outcome: ReplayOutcome) {
        self.outcome = outcome
    }

    var description: String {
        let known = self.outcome.platform.users.count(where: \.isKnown)
        let (logged, received) = (self.outcome.logged, self.outcome.platform.received)
        var table = Table("The day in short")
        table.add("installations", "\(self.outcome.visitors.installations.count)")
        table.add("users", "\(self.outcome.platform.users.count)", "\(known) known")
        table.add("sessions", "\(self.outcome.sessions.begun)", "\(self.outcome.sessionsOpen) open")
        table.add("events logged", "\(logged.values.reduce(0, +))")
        table.add("events received", "\(received.values.reduce(0, +))", "\(self.outcome.lost) lost")
        return table.description
    }
}
