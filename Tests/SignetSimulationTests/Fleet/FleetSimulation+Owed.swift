// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTesting

@testable import Signet

/// The law of due work: with a well platform and store, nobody calling anything, and time passing, nothing is owed.
extension FleetSimulation {
    /// Lets a day pass in which nobody opens anything, and reads from files and rows what is still owed.
    func outliveTheDay() async {
        for replica in self.replicas {
            let isKilled = self.generator.chance(0.5)
            for entry in self.report(replica).owed {
                self.book.reach("owed \(entry.kind.rawValue), \(isKilled ? "kill" : "living")")
            }
            replica.process?.handles = [:]
            guard isKilled else { continue }
            replica.process?.disk.plan(.kill, after: 0)
            await self.restartIfDead(replica)
            replica.process?.network.set(.fine)
        }
        self.tell("a day with nobody")
        await self.pass(seconds: 90_000, step: 600)
        for replica in self.replicas {
            let report = self.report(replica)
            for entry in report.owed where !self.waitsForOptIn(entry) {
                self.book.fail("replica \(replica.index) still owes: \(entry)")
            }
            for entry in report.entries where self.mustHaveUser(entry) {
                self.book.fail("replica \(replica.index) has forgotten that the app wants a user: \(entry)")
            }
        }
        let rows = self.engine.database.dueWork(at: self.clock.milliseconds, sessionTimeout: .seconds(30))
        for entry in rows.owed { self.book.fail("the store still has: \(entry)") }
    }

    /// True if the event of an opt-out waits for the first user, whom nobody asks for meanwhile: the row has the choice, not the directory.
    private func waitsForOptIn(_ entry: DueWorkReport.Entry) -> Bool {
        guard entry.kind == .identify, let number = self.visitor(entry) else { return false }
        return self.witness.state(number)?.identity.isOptedOut == true
    }

    private func visitor(_ entry: DueWorkReport.Entry) -> Int? {
        (0..<Self.installationCount).first { entry.installation == InstallationID("visitor-\($0)") }
    }

    /// True if events wait for the app, though each open has asked the runtime to identify.
    private func mustHaveUser(_ entry: DueWorkReport.Entry) -> Bool {
        guard entry.kind == .identify, case .awaitsApp? = entry.allowed, let number = self.visitor(entry) else {
            return false
        }
        return self.isIdentified(number)
    }

    private func report(_ replica: FleetReplica) -> DueWorkReport {
        do {
            return try dueWork(directory: replica.folder.path)
        } catch {
            self.book.fail("the files cannot be read: \(error)")
            return DueWorkReport()
        }
    }
}
