// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet

/// The whole way: from `log` to what the platform has taken.
struct PipelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipeline",
        abstract: "Logs through 1,000 installations while everything is delivered, until all is acknowledged.",
        discussion: """
            Processor time is that of the whole process, from the first call of log to the end of an orderly shutdown. \
            Memory is what the heap grew by meanwhile.

            Examples:
              event-load pipeline --events 10000000 --runs 1
              event-load pipeline --events 10000000 --runs 1 --strangers 1
            """
    )

    @OptionGroup var options: LoadOptions

    @Option(help: "Through how many installations the events are logged.")
    var installations = 1000

    @Option(help: "How many requests are under way at once.")
    var connections = 4

    @Option(help: "How many tasks log.")
    var tasks = 8

    @Option(help: "How many more installations log, whose user is never known: their events must hold up nobody.")
    var strangers = 0

    func run() async throws {
        try await LoadTest.perform("pipeline", self.options) { test in
            var results = Results()
            try await test.eachRun { run in
                test.note(run, "floors")
                let floors = try Floors.measure(self.events, in: test.workspace)
                results.add("floors", floors.measures)
                for delivery in Delivery.allCases {
                    for kind in Sink.Kind.allCases {
                        let name = "\(delivery.name), \(kind.name)"
                        guard self.options.includes(name) else { continue }
                        test.note(run, name)
                        results.add(name, try await self.measure(delivery, kind, floors, test, &results))
                    }
                }
            }
            return results
        }
    }

    func validate() throws {
        guard self.installations >= 1, self.connections >= 1, self.tasks >= 1, self.strangers >= 0 else {
            throw ValidationError("--installations, --connections and --tasks must be 1 or more.")
        }
    }

    private var events: Int { self.options.events ?? 1_000_000 }

    private func measure(
        _ delivery: Delivery,
        _ kind: Sink.Kind,
        _ floors: Floors,
        _ test: LoadTest,
        _ results: inout Results
    ) async throws -> [Measure] {
        let directory = test.workspace.fresh("pipeline")
        try await Crowd.settle(self.installations, in: directory)
        let sink = try kind.start(in: test.workspace, connections: self.connections)
        defer { sink.end() }
        var configuration = Crowd.configuration(directory)
        configuration.events.maximumInFlight = self.connections
        delivery.apply(to: &configuration)
        let (measured, begin, peak, end) = try await MemorySampler.during {
            try await Span.of {
                try await self.deliver(self.events, configuration, sink.transport, test.deadline, isTimed: false)
            }
        }
        let (span, passage) = measured
        self.judge(passage, kind, &results)
        let logged = passage.outcome.total
        var measures: [Measure] = .work(logged, span)
        measures.append(Measure("logged while delivering", "events/s", Double(logged) / passage.logging))
        measures += try await sink.measures(events: passage.statistics.eventsDelivered, span, &results)
        let goal: Goal? = delivery == .bulk && kind == .inProcess ? .atMost(2.5) : nil
        measures += floors.ratios(logged, span, readingGoal: goal)
        measures.append(Measure("flushes of the disk", "", Double(passage.statistics.fsyncs)))
        measures += try .memory(begin: begin, peak: peak, end: end, mapped: passage.mapped, goal: .atMost(8))
        let files = try DataFiles(in: directory)
        measures.append(Measure("files at the end", "MB", Double(files.bytes) / 1e6))
        // Timing each call costs: on the same installations, with events that do not count above.
        let timed = try await self.deliver(
            max(self.events / 4, 10_000),
            configuration,
            sink.transport,
            test.deadline,
            isTimed: true
        )
        measures += .latency(timed.outcome.histogram)
        try test.workspace.remove(directory)
        return measures
    }

    /// What became of some events.
    private struct Passage: Sendable {
        let outcome: Producers.Outcome
        /// Seconds in which they were logged.
        let logging: Double
        let left: Int
        let statistics: SignetStatistics
        /// When all were logged.
        let mapped: (count: Int, bytes: Int)
    }

    private func deliver(
        _ events: Int,
        _ configuration: SignetConfiguration,
        _ transport: any Transport,
        _ deadline: UInt64?,
        isTimed: Bool
    ) async throws -> Passage {
        try await withSignet(configuration, transport: transport) { signet in
            var installations = try await Crowd.open(self.installations, of: signet)
            for number in 0..<self.strangers {
                installations.append(try await signet.open(InstallationID("stranger-\(number)"), identify: .none))
            }
            let producers = Producers(kind: .tasks(self.tasks), installations: installations)
            let began = Nanoseconds.now
            let outcome = try await producers.run(events: events, deadline: deadline, isTimed: isTimed)
            let logging = Double(Nanoseconds.now - began) / 1e9
            let mapped = try Memory.mappedSegments()
            let left = await signet.shutdown(within: .seconds(600)).eventsLeft
            return Passage(
                outcome: outcome,
                logging: logging,
                left: left,
                statistics: signet.statistics,
                mapped: mapped
            )
        }
    }

    // Only what strangers logged may be left, and of that there is a share at most; each event has one place in the
    // statistics.
    private func judge(_ passage: Passage, _ kind: Sink.Kind, _ results: inout Results) {
        let logged = passage.outcome.total
        let share = self.strangers > 0 ? logged / (self.installations + self.strangers) + self.tasks : 0
        if passage.left > self.strangers * (share + 2) {
            results.fail("\(kind.name): \(passage.left) of \(logged) events were left")
        }
        if passage.statistics.eventsLost != 0 {
            results.fail("\(kind.name): \(passage.statistics.eventsLost) events are lost, as the statistics say")
        }
        if passage.statistics.eventsDelivered < logged - self.strangers * (share + 2) {
            results.fail("\(kind.name): \(passage.statistics.eventsDelivered) of \(logged) were delivered")
        }
    }
}
