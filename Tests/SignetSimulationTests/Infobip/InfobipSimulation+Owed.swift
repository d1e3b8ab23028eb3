// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetInfobip
import SignetTestSupport
import SignetTesting

/// The law of due work: with a well service, nobody calling anything, and time passing, nothing is owed.
extension InfobipSimulation {
    /// How the process ends that owes something.
    private enum LastDay: String {
        case kill, shutdown, living
    }

    /// Lets a day pass in which nobody opens anything, and reads from the files what is still owed.
    func outliveTheDay() async {
        for device in self.devices {
            let day: LastDay = self.generator.pick(.kill, .kill, .shutdown, .living)
            for entry in self.dueWork(of: device) where entry.allowed == nil {
                self.ledger.with { $0.reach("owed \(entry.kind.rawValue), \(day.rawValue)") }
            }
            device.life?.installations = [:]
            switch day {
            case .kill:
                device.life?.disk.plan(.kill, after: 0)
                await self.restartIfDead(device, opens: false)
            case .shutdown: await self.shutDown(device)
            case .living: break
            }
            self.tell("a day with nobody for \(device.installations), after \(day)")
            device.life?.network.set(.calm)
        }
        // Above 24 h, for which a `Retry-After` is obeyed.
        for _ in 0..<150 {
            await self.executor.settled()
            self.clock.advance(by: .seconds(600))
        }
        await self.executor.settled()
        self.isDayOver = true
        for device in self.devices {
            for entry in self.dueWork(of: device) {
                if entry.allowed == .forgotten, device.powerLosses == 0 {
                    self.fail("forgotten without a loss of power: \(entry)")
                }
                if entry.allowed == nil, !self.isOfABadDisk(entry, device) {
                    self.fail("a day later is still owed: \(entry)")
                }
                self.excuse(entry)
            }
            self.excuseUnwritten(on: device)
            await self.openAll(device)
        }
    }

    /// True for what a loss of power, or a disk that refused a write, may leave for the next start; it is counted.
    private func isOfABadDisk(_ entry: DueWorkReport.Entry, _ device: InfobipDevice) -> Bool {
        guard device.powerLosses > 0 || device.hadBadDisk, entry.kind == .sessionEnd || entry.kind == .mark else {
            return false
        }
        self.ledger.with { $0.reach("left by a bad disk") }
        return true
    }

    /// What waits for an app that never returns need not arrive.
    private func excuse(_ entry: DueWorkReport.Entry) {
        guard entry.kind == .service, case .awaitsApp(let what) = entry.allowed else { return }
        for number in self.leavers where entry.installation == InstallationID("device-\(number)") {
            self.ledger.with { book in
                book.reach("a leaver's work waits for \(what)")
                book.excuseAll(of: number, "waits for \(what)")
                book.excuseEvents(of: number, "waits for \(what)")
            }
        }
    }

    /// What must not be on disk is not in the files: it waits in memory for a push token.
    private func excuseUnwritten(on device: InfobipDevice) {
        guard !device.persists else { return }
        for number in self.leavers where device.installations.contains(number) && !self.hasToken[number] {
            self.ledger.with { book in
                book.excuseAll(of: number, "waits for a push token")
                book.excuseEvents(of: number, "waits for a push token")
            }
        }
    }

    /// Ends a process in order, and begins the next, in which nobody opens anything.
    private func shutDown(_ device: InfobipDevice) async {
        guard let life = device.life else { return }
        let runtime = life.runtime
        life.spawn { await runtime.shutdown(within: .seconds(30)) }
        for _ in 0..<200 where !life.isOver {
            await self.executor.settled()
            if !life.isOver { self.clock.advance(by: .milliseconds(500)) }
        }
        guard life.isOver else { return self.fail("a shutdown does not end") }
        self.ledger.with { $0.reach("shutdown") }
        self.noteDeath(of: device)
        await self.bury(device)
        await self.start(device, opens: false)
    }

    /// What the files say.
    private func dueWork(of device: InfobipDevice) -> [DueWorkReport.Entry] {
        do {
            let services = [InfobipService(self.infobip(device))]
            return try SignetTesting.dueWork(directory: device.folder.path, services: services).entries
        } catch {
            self.fail("the files cannot be read: \(error)")
            return []
        }
    }
}
