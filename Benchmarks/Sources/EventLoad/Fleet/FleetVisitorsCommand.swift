// SPDX-License-Identifier: Apache-2.0

#if Fleet
import ArgumentParser
import Signet

struct FleetVisitorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet-visitors",
        abstract: "Visitors pass through one replica: each is opened, logs an event and is let go.",
        discussion: """
            Their events are sent meanwhile to a platform in this process; at most 10,000 of them wait. Memory is looked at when \
            a tenth has passed, and when all of them have. --events is the number of visitors. A visitor whom the store is too \
            slow for comes again after 100 ms, and is counted. Their sessions last a day, so that none ends in a run of hours.

            Example: Benchmarks/fleet-server event-load fleet-visitors --events 1000000 --runs 1
            """
    )

    @OptionGroup var options: LoadOptions
    @OptionGroup var fleet: FleetOptions

    func run() async throws {
        try await LoadTest.perform("fleet-visitors", self.options) { try await self.results($0) }
    }

    private func results(_ test: LoadTest) async throws -> Results {
        var results = Results()
        let database = try await self.fleet.emptied()
        try await FleetCrowd.make(self.count, in: database, self.fleet, test)
        for run in 1...self.options.runs {
            test.note(run, "\(self.count) visitors")
            results.add("\(self.count) visitors", try await self.measure(test))
        }
        return results
    }

    private var count: Int { self.options.events ?? 100_000 }

    private func measure(_ test: LoadTest) async throws -> [Measure] {
        let directory = test.workspace.fresh("visitors")
        var configuration = FleetCrowd.configuration(directory, store: try self.fleet.makeStore())
        configuration.sessions.timeout = .seconds(86_400)
        configuration.events.uploadInterval = .seconds(1)
        configuration.events.maximumBatchesPerSecond = nil
        let transport = CountingTransport()
        let measures = try await withSignet(configuration, transport: transport) { signet in
            try await self.measure(signet, test)
        }
        try test.workspace.remove(directory)
        return measures
    }

    private func measure(_ signet: SignetRuntime, _ test: LoadTest) async throws -> [Measure] {
        let tenth = self.count / 10
        _ = try await self.pass(0..<tenth, through: signet, test)
        let before = try await Self.memory(of: signet)
        let inUse = Memory.inUse()
        let (span, refused) = try await Span.of { try await self.pass(tenth..<self.count, through: signet, test) }
        let after = try await Self.memory(of: signet)
        let inUseAfter = Memory.inUse()
        let passed = Double(self.count - tenth)
        return [
            Measure("throughput", "visitors/s", passed / span.wall),
            Measure("CPU a visitor, without PostgreSQL", "us", span.processor / passed * 1e6),
            Measure("opens that the store was too slow for", "opens", Double(refused)),
            Measure("memory growth", "MiB", Double(after - before) / 1_048_576, goal: .atMost(64)),
            Measure("memory growth a visitor", "bytes", Double(after - before) / passed),
            Measure("allocated and not freed, a visitor", "bytes", Double(inUseAfter - inUse) / passed),
        ]
    }

    /// - Returns: The number of opens that were tried again.
    private func pass(_ numbers: Range<Int>, through signet: SignetRuntime, _ test: LoadTest) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<64 {
                group.addTask {
                    var refused = 0
                    for number in stride(from: numbers.lowerBound + task, to: numbers.upperBound, by: 64) {
                        // As many come as delivery keeps up with: else the memory is that of the events that wait.
                        while number / 64 % 16 == 0, signet.statistics.eventsWaiting > 10_000 {
                            try await Task.sleep(for: .milliseconds(10))
                        }
                        if number > 0, number % 250_000 == 0 {
                            test.progress.show("\(number) visitors, \(try Memory.anonymous() >> 20) MiB")
                        }
                        let visitor = try await Self.visitor(number, signet, &refused)
                        try visitor.log(SampleEvent.make(producer: task, number: number))
                    }
                    return refused
                }
            }
            return try await group.reduce(0, +)
        }
    }

    private static func visitor(
        _ number: Int,
        _ signet: SignetRuntime,
        _ refused: inout Int
    ) async throws -> Installation {
        while true {
            do throws(SignetError) {
                return try await signet.open(Crowd.id(number), identify: .none)
            } catch {
                guard error.code == .storeUnreachable || error.code == .storeBusy else { throw error }
                refused += 1
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// What is kept when everything has been sent.
    private static func memory(of signet: SignetRuntime) async throws -> Int {
        while signet.statistics.eventsWaiting > 0 { try await Task.sleep(for: .milliseconds(50)) }
        // A replica needs a visitor until it has told the store what the visitor did, once a second.
        try await Task.sleep(for: .seconds(3))
        Memory.trim()
        return try Memory.anonymous()
    }
}
#endif
