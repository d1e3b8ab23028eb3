// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet

/// What many open installations cost.
struct InstallationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "installations",
        abstract: "Opens N installations, keeps their handles, and logs one event through each, twice.",
        discussion: "Example: event-load installations --events 100000"
    )

    @OptionGroup var options: LoadOptions

    func run() async throws {
        try await LoadTest.perform("installations", self.options) { test in
            var results = Results()
            results.note("Each installation is new, asks for no user, and has an open session.")
            try await test.eachRun { run in
                test.note(run, "floors")
                let floors = try Floors.measure(self.count, in: test.workspace)
                results.add("floors", floors.measures)
                test.note(run, "\(self.count) installations")
                results.add("\(self.count) installations", try await self.measure(floors, test))
            }
            return results
        }
    }

    private var count: Int { self.options.events ?? 100_000 }

    private func measure(_ floors: Floors, _ test: LoadTest) async throws -> [Measure] {
        let directory = test.workspace.fresh("installations")
        let runtime = try SignetRuntime(Crowd.configuration(directory), transport: CountingTransport())
        Memory.trim()
        let before = try Memory.anonymous()
        let (opening, handles) = try await Span.of { try await Crowd.open(self.count, of: runtime) }
        let opened = try Memory.anonymous()
        let (first, _) = try await Span.of {
            for (number, handle) in handles.enumerated() {
                try handle.log(SampleEvent.make(producer: 0, number: number))
            }
        }
        let (second, _) = try await Span.of {
            for (number, handle) in handles.enumerated() {
                try handle.log(SampleEvent.make(producer: 1, number: number))
            }
        }
        let logged = try Memory.anonymous()
        await runtime.shutdown()
        var measures = [
            Measure("opening, each", "us", opening.wall / Double(self.count) * 1e6),
            Measure("memory of an open handle", "bytes", Double(opened - before) / Double(self.count)),
            Measure("memory of a handle with events", "bytes", Double(logged - before) / Double(self.count)),
            Measure("first event of each", "us", first.wall / Double(self.count) * 1e6),
        ]
        measures += .work(self.count, second)
        measures += floors.ratios(self.count, second)
        withExtendedLifetime(handles) {}
        try test.workspace.remove(directory)
        return measures
    }
}
