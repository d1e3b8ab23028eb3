// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet

/// What a page view of a known visitor costs beyond the event that it logs.
struct VisitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "visits",
        abstract: "Opens an installation that is known, logs an event and releases the handle, again and again.",
        discussion: """
            One task; 10,000 visitors, always in the same order. The floor is `log` of the same events by handles that are \
            kept. The installations are in memory, since their sessions are open; then the runtime is opened anew, and each \
            is read from the disk once. Nothing is sent.

            Example: event-load visits --events 1000000
            """
    )

    @OptionGroup var options: LoadOptions

    func run() async throws {
        try await LoadTest.perform("visits", self.options) { test in
            var results = Results()
            results.note("From the disk there is one visit for each visitor, a fraction of a second.")
            try await test.eachRun { run in
                test.note(run, "\(self.count) visits")
                try await self.measure(test, &results)
            }
            return results
        }
    }

    private var count: Int { self.options.events ?? 1_000_000 }
    /// The number of visitors; each is read from the disk once.
    private var visitors: Int { min(self.count, 10_000) }

    private func measure(_ test: LoadTest, _ results: inout Results) async throws {
        let directory = test.workspace.fresh("visits")
        let floor = try await self.withRuntime(directory) { runtime in
            let handles = try await Crowd.open(self.visitors, of: runtime)
            try self.log(self.visitors, by: handles)
            let floor = try await Span.of { try self.log(self.count, by: handles) }.0
            results.add("log alone", self.measures(self.count, floor))
            return floor
        }
        try await self.withRuntime(directory) { runtime in
            let first = try await Span.of { try await self.visit(self.visitors, of: runtime) }.0
            results.add("visit, read from the disk", self.measures(self.visitors, first, above: floor))
            let again = try await Span.of { try await self.visit(self.count, of: runtime) }.0
            results.add("visit, in memory", self.measures(self.count, again, above: floor, goal: .atMost(3)))
        }
        try test.workspace.remove(directory)
    }

    private func withRuntime<Value>(
        _ directory: String,
        _ body: (SignetRuntime) async throws -> Value
    ) async throws -> Value {
        let runtime = try SignetRuntime(Crowd.configuration(directory), transport: CountingTransport())
        let value = try await body(runtime)
        await runtime.shutdown()
        return value
    }

    private func log(_ events: Int, by handles: [Installation]) throws {
        for number in 0..<events {
            try handles[number % handles.count].log(SampleEvent.make(producer: 0, number: number))
        }
    }

    private func visit(_ visits: Int, of runtime: SignetRuntime) async throws {
        for number in 0..<visits {
            let visitor = try await runtime.open(Crowd.id(number % self.visitors), identify: .none)
            try visitor.log(SampleEvent.make(producer: 0, number: number))
        }
    }

    private func measures(_ count: Int, _ span: Span, above floor: Span? = nil, goal: Goal? = nil) -> [Measure] {
        let each = span.wall / Double(count) * 1e6
        var measures = [
            Measure("each", "us", each),
            Measure("CPU each", "us", span.processor / Double(count) * 1e6),
        ]
        if let floor {
            measures.append(Measure("above log", "us", each - floor.wall / Double(self.count) * 1e6, goal: goal))
        }
        return measures
    }
}
