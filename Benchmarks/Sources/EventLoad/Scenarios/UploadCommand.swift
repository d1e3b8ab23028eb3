// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet

/// How fast a backlog goes out.
struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload",
        abstract: "Fills a journal through 1,000 installations, then times its delivery to a counting sink.",
        discussion: """
            To a sink in this process and to an HTTP sink on the loopback in another one, each in every way in which \
            events can go out. The floor of a sink is the same number of requests of the same size with nothing of Signet.

            Example: event-load upload --events 1000000
            """
    )

    @OptionGroup var options: LoadOptions

    @Option(help: "Through how many installations the events are logged.")
    var installations = 1000

    @Option(help: "How many requests are under way at once.")
    var connections = 4

    func run() async throws {
        try await LoadTest.perform("upload", self.options) { test in
            var results = Results()
            results.note("Warm: the journal was written just before, through all installations in turn.")
            try await test.eachRun { run in
                test.note(run, "floors")
                let floors = try Floors.measure(self.events, in: test.workspace)
                results.add("floors", floors.measures)
                for delivery in Delivery.allCases {
                    for kind in Sink.Kind.allCases {
                        let name = "\(delivery.name), \(kind.name)"
                        guard self.options.includes(name) else { continue }
                        test.note(run, name)
                        let measures = try await self.measure(delivery, kind, floors, test, &results)
                        results.add(name, measures)
                    }
                }
            }
            return results
        }
    }

    func validate() throws {
        guard self.installations >= 1, self.connections >= 1 else {
            throw ValidationError("--installations and --connections must be 1 or more.")
        }
    }

    private var events: Int { self.options.events ?? 500_000 }

    private func measure(
        _ delivery: Delivery,
        _ kind: Sink.Kind,
        _ floors: Floors,
        _ test: LoadTest,
        _ results: inout Results
    ) async throws -> [Measure] {
        let directory = test.workspace.fresh("upload")
        try await Crowd.settle(self.installations, in: directory)
        let sink = try kind.start(in: test.workspace, connections: self.connections)
        defer { sink.end() }
        var configuration = Crowd.configuration(directory)
        configuration.events.maximumInFlight = self.connections
        delivery.apply(to: &configuration)
        let runtime = try SignetRuntime(configuration, transport: sink.transport)
        let installations = try await Crowd.open(self.installations, of: runtime)
        let producers = Producers(kind: .tasks(1), installations: installations)
        let logged = try await producers.run(events: self.events).total
        let waiting = runtime.statistics.eventsWaiting

        let (measured, begin, peak, end) = try await MemorySampler.during {
            try await Span.of { try await Drain.all(of: runtime) }
        }
        let (span, report) = measured
        let delivered = runtime.statistics.eventsDelivered
        if report.eventsLeft > 0 || delivered < logged {
            results.fail("\(kind.name): \(report.eventsLeft) events were left, \(delivered) of \(waiting) delivered")
        }
        var measures: [Measure] = .work(delivered, span, goal: delivery.throughputGoal(at: kind))
        measures += try await sink.measures(events: delivered, span, &results)
        measures += try await sink.floor(connections: self.connections, span, goal: delivery.timeGoal)
        measures += floors.ratios(delivered, span, isBuilding: false)
        measures.append(Measure("flushes of the disk", "", Double(runtime.statistics.fsyncs)))
        measures += try .memory(begin: begin, peak: peak, end: end)
        try test.workspace.remove(directory)
        return measures
    }
}
