// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet

/// The load of a web server for some minutes, beside a platform that is not always well.
struct ServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Page views of 20,000 visitors at 70 % of what goes; the platform is slow or refuses at times.",
        discussion: """
            A request opens its visitor's installation, logs a page view and lets go of the handle; 5 % log in, 2 % log out. \
            Visitors and pages have the popularity of Zipf. Of the requests to the platform 5 % take 1 to 3 s, 2.5 % get a 429 \
            and 2.5 % a 503, both with Retry-After: 1. Identities are the emulator's, in this process; events are counted. \
            First it finds out how many requests a second are delivered, with the same faults; then it serves at --share of \
            that for --seconds (600). All events must have arrived in the end.

            Example: event-load server --seconds 600 --runs 1
            """
    )

    @OptionGroup var options: LoadOptions

    @Option(help: "How many visitors there are.")
    var visitors = 20_000

    @Option(help: "Which part of the most that goes is served.")
    var share = 0.7

    @Option(help: "Chooses the same visits and faults again.")
    var seed: UInt64 = 1

    func validate() throws {
        guard self.visitors >= 1, self.share > 0, self.share <= 1 else {
            throw ValidationError("--visitors must be 1 or more, --share above 0 and at most 1.")
        }
        guard self.options.events == nil else { throw ValidationError("server ends by --seconds, not by --events.") }
    }

    func run() async throws {
        try await LoadTest.perform("server", self.options) { test in
            var results = Results()
            results.note("An event of a visitor whose identify was refused waits for the next one: it is late.")
            try await test.eachRun { run in
                let seed = self.seed + UInt64(run)
                test.note(run, "how much goes, \(Int(self.probe)) s")
                let most = try await self.most(seed, test, &results)
                test.note(run, "\(Int(most * self.share)) requests a second for \(Int(self.seconds)) s")
                results.add("\(self.visitors) visitors", try await self.measure(most, seed, test, &results))
            }
            return results
        }
    }

    private var seconds: Double { self.options.seconds ?? 600 }
    // Long enough for some dozens of pauses.
    private var probe: Double { min(30, max(2, self.seconds / 10)) }

    private func most(_ seed: UInt64, _ test: LoadTest, _ results: inout Results) async throws -> Double {
        let served = try await self.serve(.most(waiting: 50_000), self.probe, seed, test)
        served.judge(&results)
        // Those that were delivered while requests came.
        return Double(served.delivered) / served.span.wall
    }

    private func measure(
        _ most: Double,
        _ seed: UInt64,
        _ test: LoadTest,
        _ results: inout Results
    ) async throws -> [Measure] {
        let served = try await self.serve(.steady(most * self.share), self.seconds, seed, test)
        served.judge(&results)
        return [
            Measure("the most that goes", "requests/s", most),
            Measure("served", "requests/s", Double(served.outcome.requests) / served.span.wall),
        ] + served.measures
    }

    private func serve(
        _ pace: ServerLoad.Pace,
        _ seconds: Double,
        _ seed: UInt64,
        _ test: LoadTest
    ) async throws -> ServedRequests {
        let directory = test.workspace.fresh("server")
        var configuration = Crowd.configuration(directory)
        Delivery.bulk.apply(to: &configuration)
        // The most popular visitor logs a tenth of all, and may wait for a user as long as any.
        configuration.events.storage.maximumBytesWithoutUser = 256 << 20
        // The answers of a platform that is not well would go to standard error.
        configuration.reportsToStandardError = false
        let platform = UnsteadyPlatform(seed: seed &* 2)
        Memory.trim()
        let served = try await withSignet(configuration, transport: platform) { signet in
            let load = ServerLoad(signet: signet, visitors: Zipf(self.visitors))
            var chance = Chance(seed: seed)
            let (span, outcome) = try await Span.of { try await load.run(seconds: seconds, pace, &chance) }
            let (delivered, waiting) = (platform.counts.events, signet.statistics.eventsWaiting)
            platform.settle()
            try await load.identifyAll(outcome.visitors)
            try await load.uploadAll()
            let left = await signet.shutdown(within: .seconds(120)).eventsLeft
            return ServedRequests(
                span: span,
                outcome: outcome,
                delivered: delivered,
                waiting: waiting,
                tally: load.tally.counts,
                platform: platform.counts,
                left: left,
                lost: signet.statistics.eventsLost
            )
        }
        try test.workspace.remove(directory)
        return served
    }
}
