// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet

/// What it costs to have each event survive a loss of power.
struct DurableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "durable",
        abstract: "64 tasks log, and each awaits that its event survives a loss of power.",
        discussion: """
            The floor is a bare group commit in the same run: 64 tasks append as many bytes with write(2), one of them does \
            fdatasync(2) for all who have appended.

            Example: event-load durable --events 200000
            """
    )

    @OptionGroup var options: LoadOptions

    private static let tasks = 64

    func run() async throws {
        try await LoadTest.perform("durable", self.options) { test in
            var results = Results()
            try await test.eachRun { run in
                test.note(run, "floors")
                let floors = try Floors.measure(20_000, in: test.workspace)
                results.add("floors", floors.measures)
                test.note(run, "bare group commit")
                let bare = try await self.bare(floors, test)
                results.add("floors", bare.measures)
                test.note(run, "64 tasks")
                results.add("64 tasks, each awaiting sync()", try await self.measure(bare.rate, floors, test))
            }
            return results
        }
    }

    private var events: Int { self.options.events ?? 100_000 }

    // The frame of the event in the journal: 33 bytes beside its JSON.
    private func bare(_ floors: Floors, _ test: LoadTest) async throws -> (rate: Double, measures: [Measure]) {
        let path = test.workspace.fresh("group")
        let log = try GroupCommit(path: path)
        let frame = [UInt8](repeating: UInt8(ascii: "x"), count: floors.size + 33)
        let (span, counts) = try await Span.of {
            try await self.inTasks(deadline: test.deadline) { _, _ in try await log.append(frame) }
        }
        try test.workspace.remove(path)
        let count = counts.reduce(0) { $0 + $1.total }
        let rate = Double(count) / span.wall
        return (
            rate,
            [
                Measure("bare group commit, 64 tasks", "events/s", rate),
                Measure("bare group commit, events a flush", "", Double(count) / Double(max(1, log.flushes))),
            ]
        )
    }

    private func measure(_ bare: Double, _ floors: Floors, _ test: LoadTest) async throws -> [Measure] {
        let directory = test.workspace.fresh("durable")
        let runtime = try SignetRuntime(Crowd.configuration(directory), transport: CountingTransport())
        let installations = try await Crowd.open(Self.tasks, of: runtime)
        let deadline = test.deadline
        let (measured, begin, peak, end) = try await MemorySampler.during {
            try await Span.of {
                try await self.inTasks(deadline: deadline) { task, number in
                    try installations[task].log(SampleEvent.make(producer: task, number: number))
                    try await runtime.sync()
                }
            }
        }
        let (span, histograms) = measured
        let flushes = runtime.statistics.fsyncs
        await runtime.shutdown()
        var calls = Histogram()
        for histogram in histograms { calls.merge(histogram) }
        let count = Int(calls.total)
        let rate = Double(count) / span.wall
        var measures: [Measure] = .work(count, span)
        measures.append(Measure("throughput / bare group commit", "x", rate / bare, goal: .atLeast(0.9)))
        measures += floors.ratios(count, span)
        measures += .latency(calls)
        measures.append(Measure("events a flush", "", Double(count) / Double(max(1, flushes))))
        measures += try .memory(begin: begin, peak: peak, end: end)
        try test.workspace.remove(directory)
        return measures
    }

    // The tasks wait for the disk nearly all of the time: looking at the clock costs nothing here.
    private func inTasks(
        deadline: UInt64?,
        _ body: @escaping @Sendable (_ task: Int, _ number: Int) async throws -> Void
    ) async throws -> [Histogram] {
        let quota = deadline == nil ? max(1, self.events / Self.tasks) : .max
        return try await withThrowingTaskGroup { group in
            for task in 0..<Self.tasks {
                group.addTask {
                    var histogram = Histogram()
                    for number in 0..<quota {
                        let began = Nanoseconds.now
                        try await body(task, number)
                        let ended = Nanoseconds.now
                        histogram.record(ended - began)
                        if let deadline, ended >= deadline { break }
                    }
                    return histogram
                }
            }
            var histograms: [Histogram] = []
            for try await histogram in group { histograms.append(histogram) }
            return histograms
        }
    }
}
