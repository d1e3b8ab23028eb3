// SPDX-License-Identifier: Apache-2.0

#if HTTP
import ArgumentParser
import Signet

struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Logs and delivers at a steady rate for a long time, and watches the memory.",
        discussion: """
            First it finds out how many events a second go from `log` to the last acknowledgement, over HTTP to a counting \
            sink in another process; then it logs at half of that (--share) for --seconds. Memory is flat when what the \
            process has at the end is no more than 8 MiB above what it had after a tenth of the time. Foundation on \
            Linux loses memory with each request: what as many requests of a bare URLSession lose is the floor, and what is \
            allocated must have grown by no more than 8 MiB beyond it. The exit code is 1 when it is not flat.

            Example: event-load soak --seconds 600 --runs 1
            """
    )

    @OptionGroup var options: LoadOptions

    @Option(help: "Through how many installations the events are logged.")
    var installations = 1000

    @Option(help: "Which part of the most that goes is logged.")
    var share = 0.5

    func validate() throws {
        guard self.installations >= 1, self.share > 0, self.share <= 1 else {
            throw ValidationError("--installations must be 1 or more, --share above 0 and at most 1.")
        }
    }

    func run() async throws {
        try await LoadTest.perform("soak", self.options) { test in
            var results = Results()
            try await test.eachRun { run in
                for carrier in [Carrier.urlSession, .asyncHTTPClient] where self.options.includes(carrier.name) {
                    test.note(run, "\(carrier.name), how much goes")
                    let most = try await self.most(carrier, test, &results)
                    test.note(run, "\(carrier.name), the floor")
                    let lost = try await self.memoryLost(by: carrier, test)
                    test.note(run, "\(carrier.name), soaking")
                    results.add(carrier.name, try await self.soak(carrier, most, lost, test, &results))
                }
            }
            return results
        }
    }

    private var seconds: Double { self.options.seconds ?? 600 }

    /// Events a second from the first `log` to the end of an orderly shutdown.
    private func most(_ carrier: Carrier, _ test: LoadTest, _ results: inout Results) async throws -> Double {
        let events = self.options.events ?? 500_000
        let span = try await self.delivering(carrier, test, &results) { visitors in
            _ = try await Producers(kind: .tasks(2), installations: visitors).run(events: events)
        }.0
        return Double(events) / span.wall
    }

    /// Bytes that a request leaves allocated, with nothing of Signet.
    private func memoryLost(by carrier: Carrier, _ test: LoadTest) async throws -> Double {
        guard let transport = carrier.bare else { return 0 }
        let sink = try SinkProcess(in: test.workspace)
        defer { sink.end() }
        let floor = TransportFloor(
            transport: transport,
            request: TransportRequest(
                method: .post,
                url: "http://127.0.0.1:\(sink.port)/v2/bulkevents",
                body: [UInt8](repeating: UInt8(ascii: "x"), count: 1000),
                timeout: .seconds(5)
            ),
            connections: 4
        )
        return try await floor.memoryKept(by: 50_000)
    }

    private func soak(
        _ carrier: Carrier,
        _ most: Double,
        _ lost: Double,
        _ test: LoadTest,
        _ results: inout Results
    ) async throws -> [Measure] {
        let rate = most * self.share
        let (span, (looks, statistics), requests) = try await self.delivering(carrier, test, &results) { visitors in
            try await Pace(rate: rate, seconds: self.seconds, visitors: visitors).run()
        }
        let soaked = SoakedMemory(looks: looks, requests: requests, lostByCarrier: lost)
        if let fault = soaked.fault { results.fail("\(carrier.name): \(fault)") }
        return [
            Measure("the most that goes", "events/s", most),
            Measure("logged and delivered", "events/s", Double(statistics.eventsDelivered) / span.wall),
            Measure("processor", "%", span.processor / span.wall * 100),
        ] + soaked.measures
    }

    /// Runs a body on a runtime that delivers to a sink, and shuts it down; nothing may be left or lost.
    private func delivering<Result: Sendable>(
        _ carrier: Carrier,
        _ test: LoadTest,
        _ results: inout Results,
        _ body: ([Installation]) async throws -> Result
    ) async throws -> (Span, (Result, SignetStatistics), requests: Int) {
        let directory = test.workspace.fresh("soak")
        try await Crowd.settle(self.installations, in: directory)
        let sink = try SinkProcess(in: test.workspace)
        defer { sink.end() }
        var configuration = Crowd.configuration(directory)
        configuration.baseURL = try ServerURL("http://127.0.0.1:\(sink.port)")
        Delivery.bulk.apply(to: &configuration)
        carrier.apply(to: &configuration)
        let (span, outcome) = try await Span.of {
            try await withSignet(configuration, transport: carrier.make()) { signet in
                let result = try await body(try await Crowd.open(self.installations, of: signet))
                let report = await signet.shutdown(within: .seconds(120))
                return (result, signet.statistics, report)
            }
        }
        if outcome.2.eventsLeft > 0 || outcome.1.eventsLost != 0 {
            results.fail("\(carrier.name): \(outcome.2.eventsLeft) events left, \(outcome.1.eventsLost) lost")
        }
        let requests = try await sink.counts().requests
        try test.workspace.remove(directory)
        return (span, (outcome.0, outcome.1), requests)
    }
}
#endif
