// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import Signet

/// Whether an event whose `log` has returned can be lost by killing the process.
struct CrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crash",
        abstract: "Kills processes that log at random moments, and counts what is lost, altered or doubled.",
        discussion: """
            64 tasks and 8 threads of a child process log through 16 installations while batches are delivered and files of \
            the journal are begun and removed. Each producer stores in shared memory how many of its calls have returned. \
            After a SIGKILL, or up to three on one directory, the directory is recovered and everything in it delivered; \
            every event whose call had returned must have come, with its own checksum, and twice only under the same \
            message id. --runs is the number of kills. The same seed chooses the same moments; where the processes are \
            then, the machine decides.

            Example: event-load crash --runs 200 --seed 7
            """
    )

    @OptionGroup var options: LoadOptions

    @Option(help: "Chooses the moments; a random one when absent, and printed.")
    var seed: UInt64?

    func run() async throws {
        try await LoadTest.perform("crash", self.options) { test in
            let seed = self.seed ?? UInt64.random(in: 0..<1_000_000)
            test.progress.show("seed \(seed)")
            var chance = Chance(seed: seed)
            var results = Results()
            results.note("Seed \(seed).")
            var totals = CrashTotals()
            while totals.kills < self.options.runs {
                let kills = Int.random(in: 1...CrashPlan.generations, using: &chance)
                try await self.killAndRecover(min(kills, self.options.runs - totals.kills), test, &chance, &totals)
                test.progress.show("\(totals.kills) of \(self.options.runs) kills, \(totals.text)")
            }
            results.add("\(totals.kills) kills", totals.measures)
            for failure in totals.failures { results.fail("seed \(seed): \(failure)") }
            return results
        }
    }

    private func killAndRecover(
        _ kills: Int,
        _ test: LoadTest,
        _ chance: inout Chance,
        _ totals: inout CrashTotals
    ) async throws {
        let folder = test.workspace.fresh("crash")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let directory = "\(folder)/state"
        // A file for each generation: a kill may cut off the end of one, and what is appended to that cannot be read.
        let deliveries = (0..<kills).map { "\(folder)/deliveries-\($0)" }
        let counterFile = "\(folder)/counters"
        let counters = try SharedCounters(path: counterFile, count: CrashPlan.producers * CrashPlan.generations)
        defer { counters.unmap() }
        let delivery = Int.random(in: 0..<Delivery.allCases.count, using: &chance)
        let pace = [0, 5, 20][Int.random(in: 0..<3, using: &chance)]
        for generation in 0..<kills {
            // One of four dies in its first moments.
            let isEarly = Int.random(in: 0..<4, using: &chance) == 0
            let pause = Int.random(in: 0..<(isEarly ? 5000 : 600_000), using: &chance)
            let child = try ChildProcess(
                [
                    "crash-child", "--directory", directory, "--counters", counterFile, "--deliveries",
                    deliveries[generation],
                    "--generation", "\(generation)", "--delivery", "\(delivery)",
                    "--pace", "\(pace)",
                ],
                in: test.workspace
            )
            let producers = generation * CrashPlan.producers..<(generation + 1) * CrashPlan.producers
            try self.waitForFirst(producers, counters, child)
            usleep(UInt32(pause))
            guard !child.hasEnded() else { throw LoadError("the child has ended by itself") }
            child.kill()
            totals.kills += 1
        }
        let files = try JournalNames(in: directory)
        totals.filesBegun += files.highest
        totals.filesRemoved += files.highest - files.count

        let transport = LedgerTransport()
        let left = try await withSignet(
            CrashPlan.configuration(directory, Delivery.allCases[delivery]),
            transport: transport
        ) { signet in
            for installation in try await CrashPlan.open(signet) where installation.currentUser == nil {
                _ = try await installation.initialIdentifyResult()
            }
            return await signet.shutdown(within: .seconds(300)).eventsLeft
        }
        let begun = deliveries.filter { FileManager.default.fileExists(atPath: $0) }
        let delivered = try DeliveredEvent.read(begun)
        totals.judge(recovered: transport.ledger, delivered: delivered, returned: counters.values, left: left)
        try test.workspace.remove(folder)
    }

    private func waitForFirst(_ producers: Range<Int>, _ counters: SharedCounters, _ child: ChildProcess) throws {
        let limit = Nanoseconds.now + 60_000_000_000
        while producers.allSatisfy({ counters[$0] == 0 }) {
            guard !child.hasEnded() else { throw LoadError("the child has ended before its first event") }
            guard Nanoseconds.now < limit else { throw LoadError("the child has logged nothing for a minute") }
            usleep(500)
        }
    }
}
