//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Signet
import SignetEmulator

/// Asks the platform what it knows.
struct PlatformReader {
    private let emulator: Emulator

    init(_ emulator: Emulator) {
        self.emulator = emulator
    }

    /// Completes the sums of a replay with what the platform has.
    func report(_ totals: ReplayReport.Totals) -> ReplayReport {
        var report = ReplayReport(users: [], totals: totals)
        for user in self.emulator.users().sorted(by: { $0.mpid < $1.mpid }) {
            var entry = ReplayReport.PlatformUser(
                mpid: user.mpid,
                isKnown: user.isKnown,
                identities: [String: String](
                    uniqueKeysWithValues: user.identities.map {
                        ($0.key.wireName, $0.value.sorted().joined(separator: ", "))
                    }
                )
            )
            var sessions: Set<String> = []
            for event in self.emulator.events(of: user.mpid) {
                entry.events[event.type, default: 0] += 1
                report.totals.received[event.type, default: 0] += 1
                if let session = event.sessionUUID { sessions.insert(session) }
                if event.type == "commerce_event" { entry.revenue += event.totalAmount ?? 0 }
            }
            entry.sessions = sessions.count
            // Sums of decimal fractions in binary: the cents are what counts.
            entry.revenue = (entry.revenue * 100).rounded() / 100
            report.users.append(entry)
        }
        report.totals.requests = self.emulator.requestCounts().filter { $0.value > 0 }
        for endpoint in ["identify", "login", "logout", "search", "modify"] {
            report.totals.idsyncRequests += report.totals.requests[endpoint, default: 0]
        }
        return report
    }
}
