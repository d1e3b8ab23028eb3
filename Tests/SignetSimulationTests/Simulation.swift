// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting

@testable import Signet

/// The real runtime in a world where a seed decides everything: which task goes on, what the disk and the network do,
/// when the process and the machine die.
///
/// The platform, the clock and the memory of what was logged outlive each process.
final class Simulation {
    static let installationCount = 3

    let seed: UInt64
    let steps: [Step]
    let executor: SeededExecutor
    let ledger = NetworkLedger()
    let clock = ManualClock()
    let emulator: Emulator
    var generator: SeededGenerator
    var folder: DiskFolder
    var life: Life?
    var lives = 0
    /// What was logged, by number.
    var events: [LoggedEvent] = []
    /// The stamps that each installation has had: more than one only after a loss of power.
    var stamps: [Int: Set<String>] = [:]
    /// Who was erased, where; and where somebody is being erased, for all that is known.
    var erased: [Erased] = []
    var erasedOn: Set<Int> = []
    var unsure: Set<Int> = []
    /// The users whose erasure the disk has refused, by installation.
    var halfErased: [Int: Set<MPID>] = [:]
    var networkFaults = NetworkFaults.fine
    var violations: [String] = []
    /// Losses of power so far, and processes that could not write down whom they knew.
    var powerLosses = 0
    var forgetfulLives = 0
    /// Whether a disk has refused a write in a process that has ended.
    var hadBadDisk = false
    /// Whether a day with nobody follows the steps.
    let hasDay: Bool
    /// A visitor, one of three, who is never opened again by a process after the first one that saw them; nil once all is mended.
    var neverReturns: Int?
    /// Visitors for whom the app has called, or was opened with another policy than `none`.
    var mayBeIdentified: Set<Int> = []
    /// The process that first opened a visitor.
    var firstSeen: [Int: Int] = [:]
    /// Whether the runtimes are those of an app.
    var isApplication = false
    /// What users have answered about consent, and the installations on which somebody did before anyone was known.
    let answers = Locked<[MPID: ConsentAnswers]>([:])
    let answeredByNobody = Locked<Set<Int>>([])
    /// What happened, to read when something went wrong.
    var story: [String] = []

    init(seed: UInt64, steps: [Step], order: UInt64, hasDay: Bool, everybodyReturns: Bool) throws {
        self.seed = seed
        self.steps = steps
        self.hasDay = hasDay
        self.neverReturns = everybodyReturns ? nil : Int(seed % UInt64(Self.installationCount))
        self.generator = SeededGenerator(seed: seed &+ 1)
        self.executor = SeededExecutor(seed: order)
        let clock = self.clock
        self.emulator = Emulator(
            EmulatorConfiguration(mpids: .counting(from: 7_391_640_028_115_001)),
            clock: clock,
            wallClock: { clock.date }
        )
        self.folder = try DiskFolder.temporary()
    }

    deinit {
        self.folder.remove()
    }

    /// Lets the steps happen, then lets everything come to rest and looks whether all is well.
    ///
    /// - Parameters:
    ///   - seed: Decides everything.
    ///   - steps: What happens; what the seed says when nil.
    ///   - order: Another seed for the order of the jobs; nil for the same.
    ///   - everybodyReturns: False if one of the visitors never comes back after a death.
    /// - Returns: How it ended.
    /// - Throws: When there is no room for its files.
    static func run(
        seed: UInt64,
        steps: [Step]? = nil,
        order: UInt64? = nil,
        everybodyReturns: Bool = false
    ) async throws -> SimulationReport {
        let simulation = try Simulation(
            seed: seed,
            steps: steps ?? Step.plan(of: seed),
            order: order ?? seed,
            // Of a thousand orders of the same steps, the steps are of interest.
            hasDay: order == nil,
            everybodyReturns: everybodyReturns
        )
        await withTaskExecutorPreference(simulation.executor) { await simulation.play() }
        return SimulationReport(
            seed: seed,
            steps: simulation.steps,
            trace: simulation.executor.trace,
            violations: simulation.violations + simulation.ledger.violations,
            reached: simulation.ledger.reached,
            notes: simulation.executor.notes,
            story: simulation.story
        )
    }

    private func play() async {
        await self.start()
        for step in self.steps {
            guard self.violations.isEmpty else { break }
            await self.restartIfDead()
            self.tell("\(step.kind)")
            var generator = SeededGenerator(seed: step.seed)
            await self.perform(step.kind, &generator)
            await self.executor.pause(jobs: generator.pick(0, 1, 3, 10, .max))
            self.checkConservation()
        }
        if self.violations.isEmpty { await self.settle() }
        await self.bury()
    }

    /// Writes down what happens.
    func tell(_ text: String) {
        self.story.append("\(self.clock.now.offset) \(text)")
        self.executor.note(text)
    }

    func fail(_ text: String) {
        self.tell("VIOLATION: \(text)")
        self.violations.append(text)
    }

    /// Accepted = delivered + waiting + set aside + lost by damage, at every moment.
    func checkConservation() {
        guard let life = self.life, life.disk.crash == nil else { return }
        let statistics = life.runtime.statistics
        if statistics.eventsLost != 0 { self.fail("\(statistics.eventsLost) events are not accounted for") }
        if self.powerLosses == 0, statistics.eventsDamaged > 0 {
            self.fail("events were damaged though no power was lost")
        }
    }
}
