// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Signet
import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting

/// How processes begin and end.
extension Simulation {
    /// Begins a process on what the last one left.
    func start() async {
        self.lives += 1
        let image: DiskFolder
        do {
            image = try DiskFolder.temporary()
        } catch {
            return self.fail("no folder: \(error)")
        }
        let disk = CrashingDisk(
            folder: self.folder,
            image: image,
            seed: self.generator.next(),
            canLosePower: self.steps.contains { $0.kind == .powerLoss },
            note: { [executor] in executor.note($0) }
        )
        let networkSeed = self.generator.next()
        // Some die again while they read what the last one left.
        if self.lives > 1, self.generator.chance(0.15) {
            disk.plan(.kill, after: Int.random(in: 1...40, using: &self.generator))
        }
        let network = SimulatedNetwork(
            to: self.emulator,
            ledger: self.ledger,
            executor: self.executor,
            seed: networkSeed,
            isAlive: { disk.crash == nil }
        )
        network.set(self.networkFaults)
        let observer = SimulationObserver(self.ledger)
        do throws(SignetError) {
            let runtime = try SignetRuntime(self.configuration(disk), transport: network, observer: observer)
            self.life = Life(
                disk: disk,
                network: network,
                runtime: runtime,
                observer: observer,
                executor: self.executor
            )
            // What was cut short before is finished.
            if disk.crash == nil { self.unsure = [] }
            self.lookForTraces()
            self.tell("process \(self.lives) found \(runtime.statistics.eventsRestored) events")
        } catch {
            self.fail("process \(self.lives) cannot begin: \(error.message)")
            image.remove()
        }
    }

    private func configuration(_ disk: CrashingDisk) -> SignetConfiguration {
        var setup = SeededGenerator(seed: self.seed &+ 2)
        var configuration = SignetConfiguration.application(
            apiKey: self.emulator.configuration.apiKey,
            secret: self.emulator.configuration.secret,
            directory: self.folder.path
        )
        configuration.sessions.mode = .server
        let clock = self.clock
        configuration.time = TimeSource(
            clock: WatchedClock(clock: clock, executor: self.executor),
            milliseconds: { clock.milliseconds }
        )
        configuration.jitter = { 0.5 }
        let sessionIDs = Locked(SeededGenerator(seed: UInt64(self.lives)))
        configuration.newSessionID = {
            let (high, low) = sessionIDs.withLock { ($0.next(), $0.next()) }
            return UUID(uuid: unsafeBitCast((high, low), to: uuid_t.self))
        }
        configuration.disk = disk.disk
        configuration.diskWork = .callingTask
        configuration.journal.segmentBytes = setup.pick(2 << 10, 8 << 10, 64 << 10)
        configuration.journal.storage = setup.pick(.automatic, .written)
        configuration.stateLog.fileBytes = setup.pick(4 << 10, 64 << 10)
        configuration.stateLog.compactionBytes = setup.pick(1 << 10, 16 << 10)
        configuration.sessions.mode = setup.pick(.server, .application)
        self.isApplication = configuration.sessions.mode == .application
        configuration.events.uploadMode = setup.pick(.single, .single, .bulk)
        configuration.events.uploadInterval = setup.pick(.seconds(10), .seconds(120), .seconds(600))
        return configuration
    }

    /// Begins the next process if this one has died.
    func restartIfDead() async {
        while let life = self.life, let crash = life.disk.crash {
            if self.ledger.batchesInFlight > 0 { self.ledger.reach("crash with batches under way") }
            self.ledger.reach("\(crash)")
            self.answers.withLock { answers in
                for mpid in Array(answers.keys) { answers[mpid]?.die() }
            }
            if life.disk.faults > 0 { self.ledger.reach("crash after disk faults") }
            self.tell("\(crash) of process \(self.lives)")
            if crash == .powerLoss {
                self.powerLosses += 1
                self.ledger.powerLost()
                for number in self.events.indices where !self.events[number].isDurable {
                    if self.events[number].outcome == .accepted { self.events[number].outcome = .unknown }
                }
            }
            await self.bury()
            self.ledger.forgetInFlight()
            self.folder.remove()
            self.folder = life.disk.image
            await self.start()
        }
    }

    /// Ends a process in order, and begins the next.
    func shutDown(within limit: Duration) async {
        guard let life = self.life else { return }
        let runtime = life.runtime
        life.spawn { await runtime.shutdown(within: limit) }
        for _ in 0..<200 where !life.isOver && life.disk.crash == nil {
            await self.executor.settled()
            if !life.isOver { self.clock.advance(by: .milliseconds(500)) }
        }
        guard life.disk.crash == nil else { return await self.restartIfDead() }
        guard life.isOver else { return self.fail("a shutdown does not end") }
        self.ledger.reach("shutdown")
        if life.observer.damages.allSatisfy({ !$0.contains("could not be synced") }) { self.markDurable() }
        await self.bury()
        await self.start()
    }

    /// A flush has covered everything so far.
    func markDurable() {
        for number in self.events.indices where self.events[number].outcome == .accepted {
            self.events[number].isDurable = true
        }
    }

    /// Lets go of a process: whoever waits for it is answered, in a world where nothing of it can be seen any more.
    func bury() async {
        guard let life = self.life else { return }
        if life.observer.unsaved > 0 { self.forgetfulLives += 1 }
        if life.disk.faults > 0 { self.hadBadDisk = true }
        life.disk.set(.fine)
        life.cancel()
        for _ in 0..<100 where !life.isOver {
            await self.executor.settled()
            if !life.isOver { self.clock.advance(by: .seconds(1)) }
        }
        if !life.isOver { self.fail("somebody waits for a process that has ended") }
        if life.disk.crash == nil { life.disk.image.remove() }
        self.life = nil
    }
}
