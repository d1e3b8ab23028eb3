// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet

/// How long a start takes when there are many installations.
struct StartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Makes a directory with N installations, as after a crash, and opens a runtime on it.",
        discussion: """
            Each installation has a record, an open session and one event that waits for a user. The floor is reading the \
            same files once. Afterwards one of them is opened, and then a thousandth of the others; then the runtime runs \
            until it knows of all of the sessions.

            Example: event-load start --events 1000000 --runs 1
            """
    )

    @OptionGroup var options: LoadOptions

    func run() async throws {
        try await LoadTest.perform("start", self.options) { test in
            var results = Results()
            results.note("Warm: the files are in the page cache.")
            let count = self.options.events ?? 1_000_000
            try await test.eachRun { run in
                test.note(run, "\(count) installations")
                results.add("\(count) installations", try await self.measure(count, test))
            }
            return results
        }
    }

    private func measure(_ count: Int, _ test: LoadTest) async throws -> [Measure] {
        let directory = test.workspace.fresh("start")
        let configuration = Crowd.configuration(directory)
        let (making, _) = try await Span.of {
            let runtime = try SignetRuntime(configuration, transport: CountingTransport())
            for number in 0..<count { _ = try await runtime.open(Crowd.id(number), identify: .none) }
            await runtime.shutdown()
        }
        let files = try DataFiles(in: directory)
        let reading = try files.read()
        let (opening, runtime) = try await Span.of { try SignetRuntime(configuration, transport: CountingTransport()) }
        let step = max(1, count / 1000)
        // It reads the sessions of all that have events waiting.
        let (first, _) = try await Span.of { _ = try await runtime.open(Crowd.id(0), identify: .none) }
        let (restoring, _) = try await Span.of {
            for number in stride(from: step, to: count, by: step) {
                _ = try await runtime.open(Crowd.id(number), identify: .none)
            }
        }
        let waiting = runtime.statistics.eventsWaiting
        let before = try Memory.anonymous()
        let (finding, after) = try await self.find(count - count / step - 1, runtime)
        try test.workspace.remove(directory)
        let goal: Goal? = count == 1_000_000 ? .atMost(1) : nil
        return [
            Measure("first open of an installation, with the end", "us", making.wall / Double(count) * 1e6),
            Measure("all files", "MB", Double(files.bytes) / 1e6),
            Measure("waiting events", "", Double(waiting)),
            Measure("opening the runtime", "s", opening.wall, goal: goal),
            Measure("floor: reading the files once", "s", reading.wall),
            Measure("opening / reading", "x", opening.wall / reading.wall),
            Measure("first open after it", "s", first.wall),
            Measure("another open", "us", restoring.wall / Double(max(1, (count - 1) / step)) * 1e6),
            Measure("all open sessions found after the begin of run()", "s", finding.wall),
            Measure("memory for them and the waiting events (RssAnon)", "MB", Double(after - before) / 1e6),
        ]
    }

    /// Runs a runtime until it knows of so many sessions that an earlier process left open.
    ///
    /// - Returns: The time, and the anonymous memory then.
    private func find(_ count: Int, _ runtime: SignetRuntime) async throws -> (Span, Int) {
        try await withThrowingTaskGroup { group in
            group.addTask { try await runtime.run() }
            let (span, _) = try await Span.of {
                while runtime.statistics.dueWork["sessions", default: 0] < count {
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            let memory = try Memory.anonymous()
            await runtime.shutdown()
            try await group.waitForAll()
            return (span, memory)
        }
    }
}
