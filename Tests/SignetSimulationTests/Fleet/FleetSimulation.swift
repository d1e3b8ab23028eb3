// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Signet
import SignetEmulator
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting

/// Three real runtimes on one store and one platform, in a world where a seed decides everything.
final class FleetSimulation {
    static let replicaCount = 3
    static let installationCount = 2

    let seed: UInt64
    let steps: [FleetStep]
    let executor: SeededExecutor
    let book = FleetBook()
    let clock = ManualClock()
    let emulator: Emulator
    let engine: MemorySharedEngine
    let replicas: [FleetReplica]
    var generator: SeededGenerator

    private init(seed: UInt64, steps: [FleetStep]) throws {
        (self.seed, self.steps) = (seed, steps)
        self.generator = SeededGenerator(seed: seed &+ 1)
        self.executor = SeededExecutor(seed: seed)
        let clock = self.clock
        self.emulator = Emulator(EmulatorConfiguration(), clock: clock, wallClock: { clock.date })
        self.engine = MemorySharedEngine(remembering: 64, time: { clock.milliseconds })
        self.replicas = try (0..<Self.replicaCount).map { try FleetReplica($0) }
    }

    /// Lets the steps happen, lets everything come to rest, and looks whether all is well.
    ///
    /// - Returns: The book, with what must not be.
    static func run(seed: UInt64, steps: [FleetStep]? = nil) async throws -> FleetBook {
        let simulation = try FleetSimulation(seed: seed, steps: steps ?? FleetStep.plan(of: seed))
        await withTaskExecutorPreference(simulation.executor) { await simulation.play() }
        return simulation.book
    }

    private func play() async {
        for replica in self.replicas { await self.start(replica) }
        for step in self.steps {
            guard self.isWell else { break }
            for replica in self.replicas { await self.restartIfDead(replica) }
            self.witness.noteRows(0..<Self.installationCount)
            // Nothing happens at the moment of something else: a moment decides whose an event is.
            self.clock.advance(by: .milliseconds(1))
            self.tell("\(step.kind)")
            self.book.reach("step \(step.kind)")
            var generator = SeededGenerator(seed: step.seed)
            await self.perform(step.kind, &generator)
            await self.executor.pause(jobs: generator.pick(0, 1, 3, 10, .max, .max))
        }
        if self.isWell { await self.settle() }
        for replica in self.replicas { await self.bury(replica) }
    }

    var isWell: Bool {
        self.book.with { $0.violations.isEmpty }
    }

    func tell(_ text: String) {
        let line = "\(self.clock.now.offset) \(text)"
        self.book.with { $0.story.append(line) }
        self.executor.note(text)
    }

    // MARK: - Processes

    /// Begins a process on what the last one left.
    func start(_ replica: FleetReplica) async {
        let image: DiskFolder
        do { image = try DiskFolder.temporary() } catch { return self.book.fail("no folder: \(error)") }
        let disk = CrashingDisk(
            folder: replica.folder,
            image: image,
            seed: self.generator.next(),
            canLosePower: false,
            note: { [executor] in executor.note($0) }
        )
        let network = FleetNetwork(
            to: self.emulator,
            self.book,
            replica.index,
            seed: self.generator.next(),
            isAlive: { disk.crash == nil },
            now: { [clock] in clock.now.offset }
        )
        let store = MemorySharedStore(self.engine)
        if replica.isAway { store.faults.injectAlways(.unreachable) }
        do throws(SignetError) {
            let runtime = try SignetRuntime(
                self.configuration(replica, disk, store),
                transport: network,
                observer: FleetObserver(self.book)
            )
            replica.process = FleetProcess(
                disk: disk,
                store: store,
                network: network,
                runtime: runtime,
                executor: self.executor
            )
        } catch {
            self.book.fail("replica \(replica.index) cannot begin: \(error.message)")
            image.remove()
        }
    }

    private func configuration(
        _ replica: FleetReplica,
        _ disk: CrashingDisk,
        _ store: MemorySharedStore
    ) -> SignetConfiguration {
        var configuration = SignetConfiguration.application(
            apiKey: self.emulator.configuration.apiKey,
            secret: self.emulator.configuration.secret,
            directory: replica.folder.path
        )
        configuration.sessions.mode = .server
        let (clock, skew) = (self.clock, replica.skew)
        configuration.time = TimeSource(
            clock: WatchedClock(clock: clock, executor: self.executor),
            milliseconds: { clock.milliseconds + skew.withLock { $0 } }
        )
        configuration.jitter = { 0.5 }
        configuration.disk = disk.disk
        configuration.diskWork = .callingTask
        configuration.sessions.timeout = .seconds(30)
        configuration.events.uploadInterval = .seconds(20)
        let (book, index) = (self.book, replica.index)
        let tell: @Sendable (String) -> Void = { text in
            book.with { $0.story.append("\(clock.now.offset)   \(index): \(text)") }
        }
        let isTold = SimulationSeeds.given != nil
        let way = FleetStore(
            to: store,
            isAlive: { disk.crash == nil },
            failed: { book.with { $0.failedReadings[index, default: 0] += 1 } },
            tell: isTold ? tell : nil
        )
        configuration.fleet = FleetConfiguration(
            store: way,
            whenUnreachable: .logOnly,
            maximumStaleness: self.seed % 5 == 2 ? .seconds(10) : nil
        )
        return configuration
    }

    func restartIfDead(_ replica: FleetReplica) async {
        guard let process = replica.process, process.disk.crash != nil else { return }
        self.tell("replica \(replica.index) died")
        self.book.died(replica.index)
        await self.bury(replica)
        replica.folder.remove()
        replica.folder = process.disk.image
        await self.start(replica)
    }

    /// Lets go of a process: whoever waits for it is answered, in a world where nothing of it can be seen any more.
    func bury(_ replica: FleetReplica) async {
        guard let process = replica.process else { return }
        process.cancel()
        for _ in 0..<100 where !process.isOver {
            await self.executor.settled()
            if !process.isOver { self.clock.advance(by: .milliseconds(500)) }
        }
        if !process.isOver { self.book.fail("somebody waits for a process that has ended") }
        if process.disk.crash == nil { process.disk.image.remove() }
        replica.process = nil
    }

    /// Ends a process in order, and begins the next.
    func shutDown(_ replica: FleetReplica) async {
        guard let process = replica.process else { return }
        let runtime = process.runtime
        await self.finish(process, "a shutdown") { await runtime.shutdown(within: .seconds(5)) }
        guard process.disk.crash == nil else { return await self.restartIfDead(replica) }
        await self.bury(replica)
        await self.start(replica)
    }

    /// Lets time pass until a call has ended.
    func finish(_ process: FleetProcess, _ what: String, _ body: @escaping @Sendable () async -> Void) async {
        let isOver = Locked(false)
        process.spawn {
            await body()
            isOver.withLock { $0 = true }
        }
        for _ in 0..<2000 where !isOver.withLock({ $0 }) && process.disk.crash == nil {
            await self.executor.settled()
            if !isOver.withLock({ $0 }) { self.clock.advance(by: .milliseconds(100)) }
        }
        if !isOver.withLock({ $0 }), process.disk.crash == nil { self.book.fail("\(what) does not end") }
    }
}
