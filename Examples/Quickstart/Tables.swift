//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation

/// The figures of a replay for a person.
struct Tables {
    private let report: ReplayReport

    init(_ report: ReplayReport) {
        self.report = report
    }

    /// Prints all tables.
    func print() {
        for table in [self.people, self.sessions, self.events, self.revenue, self.requests] { Swift.print(table.text) }
        let lost = self.report.totals.lost
        Swift.print("\nLost: \(lost)\(lost == 0 ? ", as it must be" : "")")
    }

    private var people: TextTable {
        let totals = self.report.totals
        let known = self.report.users.count { $0.isKnown }
        var table = TextTable("Users on the platform")
        table.add("known", "\(known)")
        table.add("anonymous", "\(self.report.users.count - known)")
        table.add("logins", "\(totals.logins)")
        table.add("user changes seen on the stream", "\(totals.userChanges)")
        table.add("of these, switches from one user to another", "\(totals.switches)")
        if totals.failedCalls > 0 { table.add("identity calls that the platform refused", "\(totals.failedCalls)") }
        return table
    }

    private var sessions: TextTable {
        let totals = self.report.totals
        var table = TextTable("Sessions")
        table.add("begun", "\(totals.sessionsBegun)")
        table.add("ended", "\(totals.sessionsEnded)")
        table.add("left open by a kill", "\(totals.sessionsOpen)")
        let lengths = totals.sessionLengths
        if !lengths.isEmpty { table.add("median length", String(format: "%.0f s", lengths[lengths.count / 2])) }
        return table
    }

    private var events: TextTable {
        let totals = self.report.totals
        var table = TextTable("Events", ["type", "logged", "received"])
        for type in Set(totals.logged.keys).union(totals.received.keys).sorted() {
            table.add(type, "\(totals.logged[type, default: 0])", "\(totals.received[type, default: 0])")
        }
        return table
    }

    private var revenue: TextTable {
        var table = TextTable("Revenue, the ten best customers", ["customer", "purchases", "revenue"])
        let best = self.report.users.filter { $0.revenue > 0 }.sorted { ($0.revenue, $1.mpid) > ($1.revenue, $0.mpid) }
        for user in best.prefix(10) {
            let name = user.identities["customerid"] ?? "anonymous \(user.mpid)"
            table.add(name, "\(user.events["commerce_event", default: 0])", String(format: "%.2f", user.revenue))
        }
        return table
    }

    private var requests: TextTable {
        var table = TextTable("Requests received by the platform")
        for (endpoint, count) in self.report.totals.requests.sorted(by: { $0.key < $1.key }) {
            table.add(endpoint, "\(count)")
        }
        return table
    }
}
