// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetTestSupport
import SignetTesting

/// The law of due work: with a well platform, nobody calling anything, and time passing, nothing is owed.
extension Simulation {
    /// How the process ends that owes something.
    private enum LastDay: String {
        case kill, shutdown, living
    }

    /// Lets a day pass in which nobody opens anything, and reads from the files what is still owed.
    func outliveTheDay() async {
        await self.restartIfDead()
        guard let life = self.life, life.disk.crash == nil else { return }
        let day: LastDay = self.generator.pick(.kill, .kill, .shutdown, .living)
        for entry in self.owed() { self.ledger.reach("owed \(entry.kind.rawValue), \(day.rawValue)") }
        life.installations = [:]
        switch day {
        case .kill:
            life.disk.plan(.kill, after: 0)
            await self.restartIfDead()
        case .shutdown: await self.shutDown(within: .seconds(30))
        case .living: break
        }
        self.tell("a day with nobody, after \(day)")
        // Above 24 h, for which a `Retry-After` is obeyed.
        for _ in 0..<150 {
            self.mendTheMachine()
            await self.executor.settled()
            self.clock.advance(by: .seconds(600))
            await self.restartIfDead()
        }
        await self.executor.settled()
        // The session of whoever opts out and never returns is dropped by that look.
        let hasOptOuts = self.steps.contains { $0.kind == .optOut }
        if let life = self.life, !hasOptOuts, life.disk.faults == 0, life.runtime.statistics.dueWorkDone["late"] != nil
        {
            self.fail("due work was found late, though the disk is well")
        }
        for entry in self.owed() where !self.isOfABadDisk(entry) { self.fail("a day later is still owed: \(entry)") }
    }

    /// No fault of the disk or the network, and no death.
    func mendTheMachine() {
        guard let life = self.life else { return }
        life.disk.forgetPlan()
        life.disk.set(.fine)
        life.network.set(.fine)
    }

    /// True for what a loss of power, or a disk that refused a write, may leave for the next start, or for ever; it is counted.
    private func isOfABadDisk(_ entry: DueWorkReport.Entry) -> Bool {
        guard self.powerLosses > 0 || self.hadBadDisk || self.life?.disk.faults != 0 else { return false }
        switch entry.kind {
        case .mark, .batch, .optOutDrop, .sessionEnd:
            self.ledger.reach("left by a bad disk")
            return true
        default: return false
        }
    }

    /// What the files say.
    private func owed() -> [DueWorkReport.Entry] {
        do {
            let work = try dueWork(directory: self.folder.path)
            if self.powerLosses == 0, let entry = work.entries.first(where: { $0.allowed == .forgotten }) {
                self.fail("forgotten without a loss of power: \(entry)")
            }
            return work.owed.filter { entry in
                switch entry.kind {
                // In an app the next open ends it.
                case .sessionEnd: !self.isApplication
                default: true
                }
            }
        } catch {
            self.fail("the files cannot be read: \(error)")
            return []
        }
    }
}
