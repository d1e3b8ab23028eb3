// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting

@testable import Signet
@testable import SignetInfobip

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Two or three installations and two people, the real runtime and the emulated service, in a world where a seed decides everything.
///
/// The installations have a directory each, or one together. A reference of its own follows what has arrived; what apps
/// were told must come true of it.
final class InfobipSimulation {
    /// The most installations.
    static let most = 3

    let seed: UInt64
    let steps: [InfobipStep]
    let executor: SeededExecutor
    let ledger = InfobipLedger()
    let clock = ManualClock()
    let emulator: Emulator
    let devices: [InfobipDevice]
    let installationCount: Int
    /// Those that nobody opens after the process in which they were opened first: a third.
    let leavers: Set<Int>
    /// The day in which nobody opens anything is over.
    var isDayOver = false
    var generator: SeededGenerator
    /// Whether only that is saved, and goes wrong, which was from the beginning: so a seed stays the world that it was.
    let isPlain: Bool
    /// For what was thought of later.
    var more = SeededGenerator(seed: 0)
    /// Grows with each push token.
    var tokens = 0
    var hasToken = [false, false, false]

    init(seed: UInt64, steps: [InfobipStep], isPlain: Bool) throws {
        self.seed = seed
        self.isPlain = isPlain
        self.steps = steps
        self.generator = SeededGenerator(seed: seed &+ 1)
        self.executor = SeededExecutor(seed: seed)
        let clock = self.clock
        self.emulator = Emulator(EmulatorConfiguration(), clock: clock, wallClock: { clock.date })
        var setup = SeededGenerator(seed: seed &+ 3)
        let isShared = setup.chance(0.4)
        // From a generator of its own, so that worlds of two are what they were before there were three.
        var more = SeededGenerator(seed: seed ^ 0x7468_7265)
        let isThree = !isPlain && more.chance(0.4)
        self.installationCount = isThree ? 3 : 2
        let pairs = isShared ? [[0, 1]] : [[0], [1]]
        self.devices = try (pairs + (isThree ? [[2]] : [])).map { installations in
            try InfobipDevice(installations: installations, persists: setup.chance(0.75))
        }
        self.ledger.with { $0.reach(isShared ? "one runtime" : "two runtimes") }
        if isThree { self.ledger.with { $0.reach("three installations") } }
        var leaving = SeededGenerator(seed: seed ^ 0x6C65_6176)
        self.leavers = Set((0..<(isPlain ? 0 : self.installationCount)).filter { _ in leaving.chance(1.0 / 3) })
    }

    /// Lets the steps happen, then lets everything come to rest and looks whether all is well.
    static func run(
        seed: UInt64,
        steps: [InfobipStep]? = nil,
        isPlain: Bool = false
    ) async throws -> InfobipReport {
        let steps = steps ?? InfobipStep.plan(of: seed)
        let simulation = try InfobipSimulation(seed: seed, steps: steps, isPlain: isPlain)
        await withTaskExecutorPreference(simulation.executor) { await simulation.play() }
        let story = simulation.ledger.story
        return simulation.ledger.with { book in
            InfobipReport(
                seed: seed,
                steps: simulation.steps,
                trace: simulation.executor.trace,
                violations: book.violations,
                reached: book.reached,
                story: story
            )
        }
    }

    private func play() async {
        for device in self.devices { await self.start(device) }
        // Most are registered from the beginning, or nothing would ever be sent.
        for number in 0..<self.installationCount where self.generator.chance(0.8) { self.setToken(number) }
        for step in self.steps {
            guard self.isWell else { break }
            for device in self.devices { await self.restartIfDead(device) }
            self.tell("\(step.kind)")
            self.ledger.with { $0.reach("step \(step.kind)") }
            if let faults = step.disk, !self.isPlain { self.setDisk(faults) }
            var generator = SeededGenerator(seed: step.seed)
            self.more = SeededGenerator(seed: step.seed ^ 0x6D6F_7265)
            await self.perform(step.kind, &generator)
            await self.executor.pause(jobs: generator.pick(0, 1, 3, 10, .max, .max))
            self.checkAlways()
        }
        if self.isWell { await self.settle() }
        self.ledger.with { $0.isOver = true }
        for device in self.devices { await self.bury(device) }
    }

    var isWell: Bool {
        self.ledger.with { $0.violations.isEmpty }
    }

    /// The installations that somebody has open.
    var present: [Int] {
        (0..<self.installationCount).filter { self.device(of: $0).profile($0) != nil }
    }

    /// The device of an installation.
    func device(of number: Int) -> InfobipDevice {
        self.devices.first { $0.installations.contains(number) } ?? self.devices[0]
    }

    /// Writes down what happens.
    func tell(_ text: String) {
        self.ledger.tell("\(self.clock.now.offset) \(text)")
        self.executor.note(text)
    }

    func fail(_ text: String) {
        self.ledger.with { $0.fail(text) }
    }

    /// One installation of a person at most is primary.
    func checkAlways() {
        let installations = self.emulator.infobip.installations()
        let owners = Dictionary(grouping: installations.filter(\.isPrimary), by: \.person)
        for (person, primary) in owners where primary.count > 1 {
            self.fail("\(primary.count) installations of \(person) are primary")
        }
        if !owners.isEmpty { self.ledger.with { $0.reach("primary") } }
    }

    /// No file has what it must not.
    func lookForTraces() {
        for device in self.devices where !device.persists && device.life?.disk.crash == nil {
            for folder in device.folder.tree {
                for name in folder.inodes.keys.sorted() {
                    let bytes = folder.contents(of: name)
                    for trace in InfobipPersona.traces where Self.contains(bytes, trace) {
                        self.fail("\(name) has \(trace) of somebody who was not to be kept")
                    }
                }
            }
            self.ledger.with { $0.reach("looked for traces") }
        }
    }

    static func contains(_ bytes: [UInt8], _ trace: String) -> Bool {
        let trace = Array(trace.utf8)
        return bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let first = trace.first else { return false }
            var offset = 0
            while offset + trace.count <= bytes.count,
                let found = memchr(start + offset, Int32(first), bytes.count - offset)
            {
                offset = start.distance(to: found)
                guard offset + trace.count <= bytes.count else { return false }
                if memcmp(found, trace, trace.count) == 0 { return true }
                offset += 1
            }
            return false
        }
    }
}
