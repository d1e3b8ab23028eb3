// SPDX-License-Identifier: Apache-2.0

#if Fleet
import ArgumentParser
import Signet
import SignetPostgres

struct FleetLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet-log",
        abstract: "Logs through an open handle, with a store and without one, in turn.",
        discussion: "Example: Benchmarks/fleet-server event-load fleet-log --events 1000000"
    )

    @OptionGroup var options: LoadOptions
    @OptionGroup var fleet: FleetOptions

    func run() async throws {
        try await LoadTest.perform("fleet-log", self.options) { try await self.results($0) }
    }

    private func results(_ test: LoadTest) async throws -> Results {
        var results = Results()
        results.note("Nothing is sent: no user is known. The activity goes to the store once a second.")
        for run in 1...self.options.runs {
            try await self.fleet.empty()
            test.note(run, "without a store")
            let local = try await self.measure(test, store: nil)
            test.note(run, "with a store")
            let shared = try await self.measure(test, store: self.fleet.makeStore())
            results.add("without a store", .work(self.events, local))
            results.add(
                "with a store",
                .work(self.events, shared) + [
                    Measure("events/s against those without", "x", local.wall / shared.wall, goal: .atLeast(0.95)),
                    Measure("CPU against that without", "x", shared.processor / local.processor),
                ]
            )
        }
        return results
    }

    private var events: Int { self.options.events ?? 1_000_000 }

    private func measure(_ test: LoadTest, store: PostgresStore?) async throws -> Span {
        let directory = test.workspace.fresh("log")
        var configuration = Crowd.configuration(directory)
        if let store { configuration.fleet = FleetConfiguration(store: store) }
        let span = try await withSignet(configuration, transport: CountingTransport()) { signet in
            let handles = try await Crowd.open(1, of: signet)
            let producers = Producers(kind: .tasks(1), installations: handles)
            _ = try await producers.run(events: 20_000)
            return try await Span.of { try await producers.run(events: self.events) }.0
        }
        try test.workspace.remove(directory)
        return span
    }
}
#endif
