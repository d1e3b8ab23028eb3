//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

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

            Example: event-load pipeline --events 10000000 --runs 1
            """
    )

    @OptionGroup var options: LoadOptions

    @Option(help: "Through how many installations the events are logged.")
    var installations = 1000

    @Option(help: "How many requests are under way at once.")
    var connections = 4

    @Option(help: "How many tasks log.")
    var tasks = 8

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
        var statistics = SignetStatistics()
        var logging = 0.0
        var left = 0
        var flushes: [Measure] = []
        let (measured, begin, peak, end) = try await MemorySampler.during {
            try await Span.of {
                try await withSignet(configuration, transport: sink.transport) { signet in
                    let installations = try Crowd.open(self.installations, of: signet)
                    let producers = Producers(kind: .tasks(self.tasks), installations: installations)
                    let began = Nanoseconds.now
                    let outcome = try await producers.run(events: self.events, deadline: test.deadline)
                    logging = Double(Nanoseconds.now - began) / 1e9
                    left = await signet.shutdown(within: .seconds(600)).eventsLeft
                    statistics = signet.statistics
                    flushes = CountedFlushes.measures(signet)
                    return outcome.total
                }
            }
        }
        let (span, logged) = measured
        if left > 0 || statistics.eventsDelivered < logged {
            results.fail("\(kind.name): \(statistics.eventsDelivered) of \(logged) delivered, \(left) left")
        }
        let processorGoal: Goal? = kind == .inProcess ? .atMost(2.5) : nil
        var measures: [Measure] = .work(logged, span, processorGoal: processorGoal)
        measures.append(Measure("logged while delivering", "events/s", Double(logged) / logging))
        measures += try await sink.measures(events: logged, span, &results)
        measures += floors.ratios(logged, span)
        measures += flushes
        measures += try .memory(begin: begin, peak: peak, end: end, goal: .atMost(32))
        try test.workspace.remove(directory)
        return measures
    }
}
