// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetTrace

/// The outcome of a replay for people.
struct Summary: CustomStringConvertible {
    private let outcome: ReplayOutcome

    init(_ outcome: ReplayOutcome) {
        self.outcome = outcome
    }

    var description: String {
        [self.users, self.sessions, self.events, self.revenue, self.activation, self.traffic]
            .compactMap { $0?.description }.joined(separator: "\n\n")
    }

    private var activation: Table? {
        guard let report = self.outcome.activation else { return nil }
        var table = Table("Unknown user activation")
        table.add("visitors", "\(self.outcome.visitors.installations.count)")
        table.add("activations", "\(report.activations)")
        table.add("merges into known users", "\(report.merges)")
        table.add("unknown users at the end", "\(report.unknownUsers)")
        table.add("known users", "\(report.knownUsers)")
        table.add("events of unknown users", "\(report.unknownEvents)")
        table.add("events of known users", "\(report.knownEvents)")
        table.add("requests with a token", "\(report.vouched)")
        table.add("requests refused", "\(report.refused)")
        return table
    }

    private var users: Table {
        var table = Table("Users")
        let known = self.outcome.platform.users.count(where: \.isKnown)
        table.add("known", "\(known)")
        table.add("anonymous", "\(self.outcome.platform.users.count - known)")
        table.add("logins", "\(self.outcome.visitors.logins)")
        table.add("first users seen on the stream", "\(self.outcome.users.arrivals)")
        table.add("user switches seen on the stream", "\(self.outcome.users.switches)")
        table.add("users that became known or unknown", "\(self.outcome.users.turns)")
        return table
    }

    private var sessions: Table {
        var table = Table("Sessions")
        table.add("begun", "\(self.outcome.sessions.begun)")
        table.add("ended", "\(self.outcome.sessions.ended)")
        table.add("open at the end", "\(self.outcome.sessionsOpen)")
        table.add("median length", self.outcome.sessions.medianLength.map(Self.minutes) ?? "-")
        return table
    }

    private var events: Table {
        var table = Table("Events")
        table.add("", "logged", "received")
        let (logged, received) = (self.outcome.logged, self.outcome.platform.received)
        for type in Set(logged.keys).union(received.keys).sorted() {
            table.add(type, "\(logged[type, default: 0])", "\(received[type, default: 0])")
        }
        table.add("all", "\(logged.values.reduce(0, +))", "\(received.values.reduce(0, +))")
        return table
    }

    private var revenue: Table {
        var table = Table("Revenue, top ten of customers")
        let customers = self.outcome.platform.users
            .filter { $0.revenue > 0 }
            .sorted { $0.revenue != $1.revenue ? $0.revenue > $1.revenue : $0.name < $1.name }
        for customer in customers.prefix(10) {
            table.add(customer.name, Self.money(customer.revenue))
        }
        table.add("all \(customers.count)", Self.money(customers.reduce(0) { $0 + $1.revenue }))
        return table
    }

    private var traffic: Table {
        var table = Table("Requests")
        for (route, count) in self.outcome.platform.requests.sorted(by: { $0.key < $1.key }) {
            table.add(route, "\(count)")
        }
        table.add("batches taken", "\(self.outcome.platform.batches)")
        for (code, count) in self.outcome.visitors.refusals.sorted(by: { $0.key < $1.key }) {
            table.add("calls refused: \(code)", "\(count)")
        }
        table.add("changes that a subscriber missed", "\(self.outcome.missed)")
        table.add("events lost", "\(self.outcome.lost)")
        return table
    }

    private static func minutes(_ length: Duration) -> String {
        let seconds = Int((length / .seconds(1)).rounded())
        return "\(seconds / 60) min \(seconds % 60) s"
    }

    private static func money(_ amount: Double) -> String {
        String(format: "%.2f", amount)
    }
}
