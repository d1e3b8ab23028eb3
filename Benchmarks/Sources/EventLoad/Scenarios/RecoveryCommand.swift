// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import Signet

/// How long a start takes when much waits.
struct RecoveryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovery",
        abstract: "Opens a runtime on a journal of N bytes, with its files in memory and without.",
        discussion: """
            Warm: the files are in the page cache. Cold: they were flushed and given up with posix_fadvise(DONTNEED) \
            before, so that the device has to read them; what the host below caches nobody knows here. The floors are \
            reading the same files once, warm and cold, and the CRC of their bytes.

            Example: event-load recovery --bytes 1073741824
            """
    )

    @OptionGroup var options: LoadOptions

    @Option(help: "Bytes of the journal; --events wins.")
    var bytes = 1 << 30

    func run() async throws {
        try await LoadTest.perform("recovery", self.options) { test in
            var results = Results()
            results.note("Cold means posix_fadvise(POSIX_FADV_DONTNEED) on flushed files.")
            let directory = test.workspace.fresh("recovery")
            test.progress.show("writing the journal")
            let events = try await self.fill(directory)
            let files = try DataFiles(in: directory)
            results.add(
                "journal",
                [Measure("events", "", Double(events)), Measure("all files", "MB", Double(files.bytes) / 1e6)]
            )
            try await test.eachRun { run in
                for isCold in [false, true] {
                    let state = isCold ? "cold" : "warm"
                    test.note(run, state)
                    if isCold { try files.chill() }
                    let reading = try files.read()
                    if isCold { try files.chill() }
                    let configuration = Crowd.configuration(directory)
                    let (measured, begin, peak, end) = try await MemorySampler.during {
                        try await Span.of { try SignetRuntime(configuration, transport: CountingTransport()) }
                    }
                    let (span, runtime) = measured
                    let restored = runtime.statistics.eventsRestored
                    if restored < events { results.fail("\(restored) of \(events) events were restored") }
                    await runtime.shutdown()
                    // The goal is that of 1 GiB: with less, what every start takes weighs more.
                    let goal: Goal? = isCold || events < 2_000_000 ? nil : .atMost(0.85)
                    var measures = [
                        Measure("opening the runtime", "s", span.wall),
                        Measure("opening, CPU", "s", span.processor),
                        Measure("an event", "us", span.wall / Double(events) * 1e6),
                        Measure("floor: reading the files once", "s", reading.wall),
                        Measure("floor: reading and CRC-32C", "s", reading.withChecksum),
                        Measure("opening / reading", "x", span.wall / reading.wall),
                        Measure(
                            "opening / (reading and CRC-32C)",
                            "x",
                            span.wall / reading.withChecksum,
                            goal: goal
                        ),
                    ]
                    measures += try .memory(begin: begin, peak: peak, end: end)
                    results.add(state, measures)
                }
            }
            return results
        }
    }

    private func fill(_ directory: String) async throws -> Int {
        let runtime = try SignetRuntime(Crowd.configuration(directory), transport: CountingTransport())
        let producers = Producers(kind: .tasks(1), installations: try await Crowd.open(1000, of: runtime))
        // Frame and JSON of the sample are 450 bytes, give or take the digits.
        let count = try await producers.run(events: self.options.events ?? max(1, self.bytes / 450)).total
        await runtime.shutdown()
        return count
    }
}
