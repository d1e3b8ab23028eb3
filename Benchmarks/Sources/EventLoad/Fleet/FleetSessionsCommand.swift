// SPDX-License-Identifier: Apache-2.0

#if Fleet
import ArgumentParser
import Signet
import SignetEmulator

struct FleetSessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet-sessions",
        abstract: "Three replicas end sessions that are all due at once.",
        discussion: """
            The replicas are three runtimes in this process, each with a store and a directory of its own. The emulator \
            counts the ends that arrive. --events is the number of sessions.

            Example: Benchmarks/fleet-server event-load fleet-sessions --events 100000
            """
    )

    @OptionGroup var options: LoadOptions
    @OptionGroup var fleet: FleetOptions

    func run() async throws {
        try await LoadTest.perform("fleet-sessions", self.options) { try await self.results($0) }
    }

    private func results(_ test: LoadTest) async throws -> Results {
        var results = Results()
        for run in 1...self.options.runs {
            test.note(run, "\(self.count) rows")
            let database = try await self.fleet.emptied()
            try await FleetCrowd.make(self.count, in: database, self.fleet, test)
            try database.run(
                """
                update signet.live set look = 1,
                    (started, last) = (started - 7200000, last - 7200000)
                """
            )
            let (measures, ends) = try await self.measure(database, test)
            results.add("\(self.count) sessions, 3 replicas", measures)
            let sessions = Set(ends).count
            if ends.count != self.count || sessions != self.count {
                results.fail("\(ends.count) ends of \(sessions) sessions have arrived, not \(self.count)")
            }
        }
        return results
    }

    private var count: Int { self.options.events ?? 100_000 }

    private func measure(_ database: Database, _ test: LoadTest) async throws -> ([Measure], ends: [String]) {
        let emulator = Emulator()
        let began = Nanoseconds.now
        let (span, ended) = try await Span.of {
            try await withThrowingTaskGroup(of: Void.self) { group in
                let signets = try (0..<3).map { number in
                    let store = try self.fleet.makeStore()
                    let directory = test.workspace.fresh("replica-\(number)")
                    return try SignetRuntime(
                        FleetCrowd.configuration(directory, store: store),
                        transport: emulator.transport
                    )
                }
                for signet in signets { group.addTask { try await signet.run() } }
                while try database.number("select count(*) from signet.live where session is not null") > 0 {
                    guard Nanoseconds.now < began + 600_000_000_000 else { throw LoadError("they do not end") }
                    try await Task.sleep(for: .milliseconds(200))
                }
                let ended = Nanoseconds.now
                for signet in signets { await signet.shutdown(within: .seconds(120)) }
                try await group.waitForAll()
                return ended
            }
        }
        let ends = emulator.users().flatMap { emulator.events(of: $0.mpid) }.filter { $0.type == "session_end" }
            .compactMap(\.sessionUUID)
        return (
            [
                Measure("until the last one is over", "s", Double(ended - began) / 1e9, goal: .atMost(60)),
                Measure("CPU an end, logged and sent", "us", span.processor / Double(self.count) * 1e6),
            ], ends
        )
    }
}
#endif
