// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet
import SignetTesting

/// What it costs to remove installations, and whether those who log notice.
struct RemovalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "removal",
        abstract: "N visitors who came once: some are removed one by one, then all others as idle.",
        discussion: """
            Each visitor has a user and logged an event; all of it is delivered. A part of them logs once more and is removed by \
            `remove()`, in 64 tasks. Then 31 days pass, and `removeInstallations(idleFor:)` removes the rest. A thread logs \
            meanwhile, some thousand events a second. The floor is appending a record of 64 bytes for each, with one fdatasync \
            for 512 records.

            Example: event-load removal --events 100000
            """
    )

    @OptionGroup var options: LoadOptions

    private static let tasks = 64
    private static let day = Duration.seconds(86_400)

    func run() async throws {
        try await LoadTest.perform("removal", self.options) { test in
            var results = Results()
            results.note("The clock is one that is moved by hand; the emulator in this process answers at once.")
            try await test.eachRun { run in
                test.note(run, "floor")
                let floor = try RawRemoval.measure(self.count, in: test.workspace)
                results.add("floor", [Measure("raw appends and flushes, each", "us", self.each(floor, self.count))])
                test.note(run, "making \(self.count) visitors")
                let directory = test.workspace.fresh("removal")
                let crowd = try await IdleCrowd(self.count, in: directory)
                test.note(run, "removing them")
                try await crowd.run { signet in
                    try await self.measure(signet, directory, floor, &results)
                }
                let closed = try DataFiles(in: directory).bytes
                results.add(self.idleName, [Measure("directory after the end", "MB", Double(closed) / 1e6)])
                try test.workspace.remove(directory)
            }
            return results
        }
    }

    private var count: Int { self.options.events ?? 100_000 }
    /// Those that are removed one by one.
    private var part: Int { min(64, self.count / 10) }
    private var idleName: String { "removeInstallations, \(self.count - self.part) of \(self.count)" }

    private func each(_ seconds: Double, _ count: Int) -> Double {
        seconds / Double(max(1, count)) * 1e6
    }

    private func measure(
        _ signet: EmulatedSignet,
        _ directory: String,
        _ floor: Double,
        _ results: inout Results
    ) async throws {
        let runtime = signet.runtime
        // It stays: its handle is held, and its events wait.
        let bystander = try await runtime.open("bystander", identify: .none)
        let (_, alone) = try await Bystander.during(bystander) { try await Task.sleep(for: .seconds(1)) }
        results.add("log, with nothing beside it", .latency(alone))

        let (byHand, beside) = try await Bystander.during(bystander) {
            try await Span.of { try await self.removeByHand(of: runtime) }.0
        }
        results.add(
            "remove(), \(self.part) by \(Self.tasks) tasks",
            [
                Measure("all", "s", byHand.wall),
                Measure("each, with open, log and delivery", "us", self.each(byHand.wall, self.part)),
                Measure("each, CPU", "us", self.each(byHand.processor, self.part)),
            ] + .latency(beside)
        )

        signet.clock.advance(by: Self.day * 31)
        let before = try DataFiles(in: directory).bytes
        let (measured, begin, peak, end) = try await MemorySampler.during {
            try await Bystander.during(bystander) {
                try await Span.of { try await runtime.removeInstallations(idleFor: Self.day * 30) }
            }
        }
        let ((span, removed), calls) = measured
        let after = try DataFiles(in: directory).bytes
        let expected = self.count - self.part
        if removed != expected { results.fail("\(removed) idle installations were removed, not \(expected).") }
        let total = runtime.statistics.installationsRemoved
        if total != self.count { results.fail("\(total) removed installations were counted, not \(self.count).") }
        var measures = [
            Measure("all", "s", span.wall),
            Measure("each", "us", self.each(span.wall, removed)),
            Measure("each, CPU", "us", self.each(span.processor, removed)),
            Measure(
                "time / raw appends and flushes",
                "x",
                self.each(span.wall, removed) / self.each(floor, self.count)
            ),
            Measure("directory before", "MB", Double(before) / 1e6),
            Measure("directory after", "MB", Double(after) / 1e6),
        ]
        measures += .latency(calls)
        measures += try .memory(begin: begin, peak: peak, end: end)
        results.add(self.idleName, measures)
        withExtendedLifetime(bystander) {}
    }

    private func removeByHand(of runtime: SignetRuntime) async throws {
        let part = self.part
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<Self.tasks {
                group.addTask {
                    for number in stride(from: task, to: part, by: Self.tasks) {
                        let visitor = try await runtime.open(Crowd.id(number), identify: .none)
                        try visitor.log(SampleEvent.make(producer: 1, number: number))
                        try await visitor.remove(within: .seconds(600))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
