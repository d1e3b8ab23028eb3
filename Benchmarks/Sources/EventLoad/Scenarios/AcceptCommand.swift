// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet

/// What the way in costs: events are logged and nothing is sent.
struct AcceptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Logs events from tasks and threads, without uploads; an independent reader then looks at the files.",
        discussion: """
            1, 2, 8 and 64 tasks and 8 threads, each producer with an installation of its own, and all with one. Throughput \
            and latency are measured apart: timing each call costs two looks at the clock. The event is made in the loop, \
            as an app does; its cost stands among the floors.

            Example: event-load accept --events 1000000
            """
    )

    @OptionGroup var options: LoadOptions

    private static let kinds: [Producers.Kind] = [.tasks(1), .tasks(2), .tasks(8), .tasks(64), .threads(8)]

    func run() async throws {
        try await LoadTest.perform("accept", self.options) { test in
            var results = Results()
            results.note("Warm: each measurement writes to a new folder, after 20,000 events that do not count.")
            try await test.eachRun { run in
                test.note(run, "floors")
                let floors = try Floors.measure(self.events, in: test.workspace)
                results.add("floors", floors.measures)
                for kind in Self.kinds {
                    for isShared in [false, true] {
                        let name = "\(kind.name), \(isShared ? "one installation" : "an installation each")"
                        guard self.options.includes(name) else { continue }
                        test.note(run, name)
                        let measures = try await self.measure(kind, isShared, floors, test, &results)
                        results.add(name, measures)
                    }
                }
            }
            self.compare(&results)
            return results
        }
    }

    private var events: Int { self.options.events ?? 1_000_000 }

    private func measure(
        _ kind: Producers.Kind,
        _ isShared: Bool,
        _ floors: Floors,
        _ test: LoadTest,
        _ results: inout Results
    ) async throws -> [Measure] {
        let isSingle: Bool
        if case .tasks(1) = kind { isSingle = true } else { isSingle = false }
        let count = isShared ? 1 : kind.count
        var measures: [Measure] = []
        // First how many in a second, then how long each takes.
        try await self.withRuntime(count, test) { runtime, installations, directory in
            let producers = Producers(kind: kind, installations: installations)
            let (measured, begin, peak, end) = try await MemorySampler.during {
                try await Span.of {
                    try await producers.run(events: self.events, deadline: test.deadline)
                }
            }
            let (span, outcome) = measured
            measures += .work(outcome.total, span, goal: isSingle ? .atLeast(1_000_000) : nil)
            measures += floors.ratios(outcome.total, span, goal: isSingle ? .atMost(4) : nil)
            measures += try .memory(begin: begin, peak: peak, end: end)
            await runtime.shutdown()
            measures += try AcceptedEvents(outcome.counts, in: directory, &results).measures
        }
        try await self.withRuntime(count, test) { runtime, installations, _ in
            let producers = Producers(kind: kind, installations: installations)
            let outcome = try await producers.run(
                events: max(self.events / 4, 10_000),
                deadline: test.deadline,
                isTimed: true
            )
            measures += .latency(outcome.histogram, goals: isSingle ? (p99: 2, p999: 20) : nil)
            await runtime.shutdown()
        }
        return measures
    }

    private func withRuntime(
        _ count: Int,
        _ test: LoadTest,
        _ body: (SignetRuntime, [Installation], _ directory: String) async throws -> Void
    ) async throws {
        let directory = test.workspace.fresh("accept")
        let runtime = try SignetRuntime(Crowd.configuration(directory), transport: CountingTransport())
        // Apart from those that count, so that only their numbers are looked for.
        let warm = try await runtime.open("warm", identify: .none)
        for number in 0..<20_000 { try warm.log(.custom("warm", attributes: ["i": .integer(Int64(number))])) }
        try await body(runtime, try await Crowd.open(count, of: runtime), directory)
        try test.workspace.remove(directory)
    }

    /// What others at once should reach, against one task.
    private static let goals: [String: Goal] = [
        "64 tasks, an installation each": .atLeast(1.7),
        "64 tasks, one installation": .atLeast(0.95),
        "8 threads, an installation each": .atLeast(0.9),
        "8 threads, one installation": .atLeast(0.9),
    ]

    private func compare(_ results: inout Results) {
        let single = "1 task, an installation each"
        guard let one = results.median("throughput", of: single) else { return }
        for name in results.series.map(\.name) where name != single && name != "floors" {
            guard let other = results.median("throughput", of: name) else { continue }
            results.add(
                "throughput against 1 task (of medians)",
                [Measure(name, "x", other / one, goal: Self.goals[name])]
            )
        }
    }
}
