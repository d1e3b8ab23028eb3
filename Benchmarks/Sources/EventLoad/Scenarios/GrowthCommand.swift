// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet

/// Whether an event costs more when many wait.
struct GrowthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth",
        abstract: "Logs 10,000,000 events that all stay, and compares the cost of one at 100 k, 1 M and 10 M.",
        discussion: """
            The cost at a mark is that of the 100,000 events before it. Without uploads, one task, 64 installations; about \
            4.5 GB on disk. --events is the highest mark.

            Example: event-load growth --events 1000000 --runs 3
            """
    )

    @OptionGroup var options: LoadOptions

    private static let window = 100_000

    func run() async throws {
        try await LoadTest.perform("growth", self.options) { test in
            var results = Results()
            let marks = [100_000, 1_000_000, 10_000_000].filter { $0 < self.highest } + [self.highest]
            try await test.eachRun { run in
                test.note(run, "floors")
                let floors = try Floors.measure(self.highest, in: test.workspace)
                results.add("floors", floors.measures)
                test.note(run, "raw writes")
                // What a frame costs beside its JSON: header and stamp.
                let raw = try RawGrowth(to: marks, window: Self.window, size: floors.size + 33, in: test.workspace)
                try await self.measure(marks, floors, raw, run, test, &results)
            }
            return results
        }
    }

    private var highest: Int { max(Self.window, self.options.events ?? 10_000_000) }

    private func measure(
        _ marks: [Int],
        _ floors: Floors,
        _ raw: RawGrowth,
        _ run: Int,
        _ test: LoadTest,
        _ results: inout Results
    ) async throws {
        let directory = test.workspace.fresh("growth")
        let runtime = try SignetRuntime(Crowd.configuration(directory), transport: CountingTransport())
        let producers = Producers(kind: .tasks(1), installations: try await Crowd.open(64, of: runtime))
        // The first touch of everything is nobody's cost.
        _ = try await producers.run(events: 20_000)
        Memory.trim()
        let before = try Memory.anonymous()
        var logged = 0
        var first: Span?
        for (mark, cost) in zip(marks, raw.costs) {
            test.note(run, "to \(mark)")
            if mark - Self.window > logged { _ = try await producers.run(events: mark - Self.window - logged) }
            let (span, outcome) = try await Span.of { try await producers.run(events: Self.window) }
            logged = mark
            var measures: [Measure] = .work(outcome.total, span)
            measures += floors.ratios(outcome.total, span)
            let growth = Double(try Memory.anonymous() - before)
            measures.append(Measure("memory growth (RssAnon)", "MiB", growth / 1_048_576))
            measures.append(Measure("memory growth an event", "bytes", growth / Double(mark)))
            measures.append(Measure("raw 64 KiB writes at the same mark, CPU", "us/event", cost.processor / 1000))
            let own = span.processor * 1e9 / Double(outcome.total) - cost.processor
            measures.append(Measure("CPU beyond raw writes", "us/event", own / 1000))
            if let first, let firstRaw = raw.costs.first {
                let firstOwn = first.processor * 1e9 / Double(Self.window) - firstRaw.processor
                measures.append(Measure("CPU beyond raw writes / the same at 100,000", "x", own / firstOwn))
                let goal: Goal? = mark == 10_000_000 ? .atMost(1.1) : nil
                measures.append(Measure("time an event / the same at 100,000", "x", span.wall / first.wall, goal: goal))
                measures.append(
                    Measure("CPU an event / the same at 100,000", "x", span.processor / first.processor, goal: goal)
                )
            }
            first = first ?? span
            results.add("at \(Table.number(Double(mark))) waiting events", measures)
        }
        await runtime.shutdown()
        try test.workspace.remove(directory)
    }
}
