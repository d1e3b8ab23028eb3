// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Signet
import SignetEmulator
import SignetIterable
import SignetJournal
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting

/// Three installations of one runtime, and Iterable, in a world where a seed decides everything.
///
/// A third of the installations is opened in the first process alone: what they were promised comes true without them.
final class IterableSimulation {
    static let installationCount = 3
    /// What can go wrong with the network; what the service refuses for good need not arrive.
    static let faults: [NetworkFaults] = [.fine, .slow, .flaky, .down, .throttled, .failing]

    let seed: UInt64
    let steps: [IterableStep]
    let executor: SeededExecutor
    /// Sees the requests to the platform; what it says of them is another simulation's.
    let network = NetworkLedger()
    let book = Locked(IterableBook())
    let clock = ManualClock()
    let emulator: Emulator
    let leavers: Set<Int>
    var generator: SeededGenerator
    var folder: DiskFolder
    var life: Life?
    var lives = 0
    var networkFaults = NetworkFaults.fine
    var story: [String] = []

    /// How a run ended.
    struct Report: Sendable {
        let seed: UInt64
        let steps: [IterableStep]
        let trace: UInt64
        let violations: [String]
        let reached: [String: Int]
        let story: [String]
    }

    private init(seed: UInt64, steps: [IterableStep]) throws {
        (self.seed, self.steps) = (seed, steps)
        self.generator = SeededGenerator(seed: seed &+ 1)
        self.executor = SeededExecutor(seed: seed)
        var configuration = EmulatorConfiguration()
        configuration.iterableProjects = [EmulatedIterableProject(criteria: Self.onSignup)]
        let clock = self.clock
        self.emulator = Emulator(configuration, clock: clock, wallClock: { clock.date })
        self.folder = try DiskFolder.temporary()
        var leaving = SeededGenerator(seed: seed &+ 2)
        self.leavers = Set((0..<Self.installationCount).filter { _ in leaving.chance(1.0 / 3) })
    }

    deinit {
        self.folder.remove()
    }

    /// Lets the steps happen and a day pass, and looks whether all is well.
    static func run(seed: UInt64, steps: [IterableStep]? = nil) async throws -> Report {
        let simulation = try IterableSimulation(seed: seed, steps: steps ?? IterableStep.plan(of: seed))
        await withTaskExecutorPreference(simulation.executor) { await simulation.play() }
        let book = simulation.book.withLock { $0 }
        return Report(
            seed: seed,
            steps: simulation.steps,
            trace: simulation.executor.trace,
            violations: book.violations,
            reached: book.reached,
            story: simulation.story
        )
    }

    private func play() async {
        await self.start(opens: true)
        // Most have agreed from the beginning, or little would ever be kept.
        for number in 0..<Self.installationCount where self.generator.chance(0.7) { self.agree(number) }
        for step in self.steps where self.book.withLock({ $0.violations.isEmpty }) {
            await self.restartIfDead()
            self.tell("\(step.kind)")
            self.book.withLock { $0.reach("step \(step.kind)") }
            var generator = SeededGenerator(seed: step.seed)
            await self.perform(step.kind, &generator)
            await self.executor.pause(jobs: generator.pick(0, 1, 3, 10, .max))
        }
        await self.outliveTheDay()
        let start = (self.clock.date.timeIntervalSince1970 * 1000).rounded() - self.clock.now.offset / .milliseconds(1)
        let events = self.emulator.iterable.events().map { event in
            // In whole milliseconds, as the clock of the world goes.
            let passed = Duration.milliseconds((event.receivedAt.timeIntervalSince1970 * 1000).rounded() - start)
            return (event.name ?? "", event.eventID ?? "", passed)
        }
        self.book.withLock { $0.check(events.filter { $0.0.hasPrefix("e-") }) }
        await self.bury()
    }

    // MARK: - Processes

    static let project = "emulated-project"

    /// Holds once there is an event whose field `does` is `signup`.
    private static let onSignup = """
        {"count":1,"criteriaSets":[{"criteriaId":"7","name":"n","createdAt":1,"updatedAt":1,"searchQuery":{"combinator":"And",\
        "searchQueries":[{"combinator":"And","searchQueries":[{"dataType":"customEvent","searchCombo":{"combinator":"And",\
        "searchQueries":[{"dataType":"customEvent","field":"does","comparatorType":"Equals","value":"signup",\
        "fieldType":"string"}]}}]}]}}]}
        """

    private var service: IterableService {
        var configuration = IterableConfiguration(apiKey: Secret(Self.project))
        configuration.isEnabled = true
        configuration.applicationName = "com.example.shop"
        return IterableService(configuration)
    }

    /// Begins a process on what the last one left.
    private func start(opens: Bool) async {
        self.lives += 1
        do {
            let image = try DiskFolder.temporary()
            let disk = CrashingDisk(
                folder: self.folder,
                image: image,
                seed: self.generator.next(),
                canLosePower: false,
                note: { [executor] in executor.note($0) }
            )
            let network = SimulatedNetwork(
                to: self.emulator,
                ledger: self.network,
                executor: self.executor,
                seed: self.generator.next(),
                isAlive: { disk.crash == nil }
            )
            network.set(self.networkFaults)
            let observer = SimulationObserver(self.network)
            let runtime = try SignetRuntime(
                self.configuration(disk),
                services: [self.service],
                transport: network,
                observer: observer
            )
            let life = Life(disk: disk, network: network, runtime: runtime, observer: observer, executor: self.executor)
            self.life = life
            guard opens else { return }
            for number in 0..<Self.installationCount where self.lives == 1 || !self.leavers.contains(number) {
                life.installations[number] = try await runtime.open(InstallationID("v\(number)"), identify: .none)
            }
        } catch {
            self.fail("process \(self.lives) cannot begin: \(error)")
        }
    }

    private func configuration(_ disk: CrashingDisk) -> SignetConfiguration {
        var setup = SeededGenerator(seed: self.seed &+ 3)
        var configuration = SignetConfiguration(
            apiKey: self.emulator.configuration.apiKey,
            secret: self.emulator.configuration.secret,
            directory: self.folder.path
        )
        let clock = self.clock
        configuration.time = TimeSource(
            clock: WatchedClock(clock: clock, executor: self.executor),
            milliseconds: { clock.milliseconds }
        )
        configuration.jitter = { 0.5 }
        configuration.disk = disk.disk
        configuration.diskWork = .callingTask
        configuration.reportsToStandardError = false
        configuration.stateLog.fileBytes = setup.pick(4 << 10, 64 << 10)
        configuration.stateLog.compactionBytes = setup.pick(1 << 10, 16 << 10)
        return configuration
    }

    /// Begins the next process if this one has died.
    private func restartIfDead(opens: Bool = true) async {
        while let life = self.life, life.disk.crash != nil {
            self.tell("death of process \(self.lives)")
            self.book.withLock { $0.reach("kill") }
            await self.bury()
            self.folder.remove()
            self.folder = life.disk.image
            await self.start(opens: opens)
        }
    }

    /// Ends a process in order, and begins the next.
    func shutDown(opens: Bool = true) async {
        guard let life = self.life else { return }
        let runtime = life.runtime
        life.spawn { await runtime.shutdown(within: .seconds(30)) }
        for _ in 0..<200 where !life.isOver && life.disk.crash == nil {
            await self.executor.settled()
            if !life.isOver { self.clock.advance(by: .milliseconds(500)) }
        }
        guard life.disk.crash == nil else { return await self.restartIfDead(opens: opens) }
        guard life.isOver else { return self.fail("a shutdown does not end") }
        self.book.withLock { $0.reach("shutdown") }
        await self.bury()
        await self.start(opens: opens)
    }

    /// Lets go of a process: whoever waits for it is answered.
    private func bury() async {
        guard let life = self.life else { return }
        if !life.observer.damages.isEmpty { self.fail("damage: \(life.observer.damages)") }
        life.cancel()
        for _ in 0..<100 where !life.isOver {
            await self.executor.settled()
            if !life.isOver { self.clock.advance(by: .seconds(1)) }
        }
        if !life.isOver { self.fail("somebody waits for a process that has ended") }
        if life.disk.crash == nil { life.disk.image.remove() }
        self.life = nil
    }

    // MARK: - The law of due work

    /// Lets a day pass in which nobody opens anything, and reads from the files what is still owed.
    private func outliveTheDay() async {
        self.networkFaults = .fine
        await self.restartIfDead()
        let day = self.generator.pick("kill", "kill", "shutdown", "living")
        for entry in self.owed() { self.book.withLock { $0.reach("owed \(entry.kind.rawValue), \(day)") } }
        self.life?.installations = [:]
        self.life?.disk.forgetPlan()
        switch day {
        case "kill":
            self.life?.disk.plan(.kill, after: 0)
            await self.restartIfDead(opens: false)
        case "shutdown": await self.shutDown(opens: false)
        default: break
        }
        self.life?.network.set(.fine)
        self.tell("a day with nobody, after \(day)")
        // Above 24 h, for which a `Retry-After` is obeyed.
        for _ in 0..<150 {
            await self.executor.settled()
            self.clock.advance(by: .seconds(600))
        }
        await self.executor.settled()
        for entry in self.owed() { self.fail("a day later is still owed: \(entry)") }
    }

    private func owed() -> [DueWorkReport.Entry] {
        do {
            return try owedWork(directory: self.folder.path, services: [self.service])
        } catch {
            self.fail("the files cannot be read: \(error)")
            return []
        }
    }

    func tell(_ text: String) {
        self.story.append("\(self.clock.now.offset) \(text)")
        self.executor.note(text)
    }

    func fail(_ text: String) {
        self.tell("VIOLATION: \(text)")
        self.book.withLock { $0.fail(text) }
    }
}
