// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet
import SignetEmulator

/// What an identity call costs without a network.
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Pairs of login and logout against the emulator in this process.",
        discussion: """
            One installation, one call after the other; then 64 installations at once. The floor is the emulator alone \
            with the same requests: its processor time by one task, its calls a second by as many tasks as there are \
            installations. --events is the number of calls.

            Example: event-load identity --events 20000
            """
    )

    @OptionGroup var options: LoadOptions

    @Option(help: "How many users take turns on an installation.")
    var users = 4

    func validate() throws {
        guard self.users >= 1 else { throw ValidationError("--users must be 1 or more.") }
    }

    func run() async throws {
        try await LoadTest.perform("identity", self.options) { test in
            var results = Results()
            try await test.eachRun { run in
                for count in [1, 64] {
                    let name = count == 1 ? "1 installation" : "\(count) installations at once"
                    guard self.options.includes(name) else { continue }
                    test.note(run, name)
                    results.add(name, try await self.measure(count, test))
                }
            }
            return results
        }
    }

    private func measure(_ installations: Int, _ test: LoadTest) async throws -> [Measure] {
        let pairs = max(1, (self.options.events ?? 20_000) / 2 / installations)
        let directory = test.workspace.fresh("identity")
        let emulator = Emulator()
        let recorder = RequestRecorder(emulator.transport)
        let (span, calls) = try await withSignet(Crowd.configuration(directory), transport: recorder) { signet in
            let handles = try await Crowd.open(installations, of: signet)
            let deadline = test.deadline
            return try await Span.of {
                try await withThrowingTaskGroup(of: Histogram.self) { group in
                    for (index, handle) in handles.enumerated() {
                        group.addTask { try await self.pairs(deadline == nil ? pairs : .max, deadline, index, handle) }
                    }
                    var calls = Histogram()
                    for try await histogram in group { calls.merge(histogram) }
                    return calls
                }
            }
        }
        let requests = recorder.requests
        // Its processor time is that of one task: waiting for the emulator's lock is no part of an answer.
        let floor = await Self.answer(requests, tasks: 1)
        let atOnce = installations == 1 ? floor : await Self.answer(requests, tasks: installations)
        try test.workspace.remove(directory)
        // By calls and not by requests, which are as many: were a call to send two, its floor would be both.
        let count = Double(calls.total)
        let alone = floor.processor / count * 1e6
        var measures = [
            Measure("throughput", "calls/s", count / span.wall),
            Measure("requests a call", "", Double(requests.count) / count),
            Measure("CPU a call", "us", span.processor / count * 1e6),
            Measure("floor: the emulator alone, CPU a call", "us", alone),
            Measure("CPU / the emulator alone", "x", span.processor / count * 1e6 / alone),
            Measure("floor: the emulator alone", "calls/s", count / atOnce.wall),
            Measure("calls/s / the emulator alone", "x", atOnce.wall / span.wall, goal: .atLeast(0.5)),
        ]
        measures += .latency(calls)
        return measures
    }

    /// Has an emulator that knows nobody answer requests.
    private static func answer(_ requests: [TransportRequest], tasks: Int) async -> Span {
        let emulator = Emulator()
        return await Span.of {
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<tasks {
                    group.addTask {
                        for number in stride(from: task, to: requests.count, by: tasks) {
                            _ = await emulator.handle(requests[number])
                        }
                    }
                }
            }
        }.0
    }

    private func pairs(
        _ pairs: Int,
        _ deadline: UInt64?,
        _ index: Int,
        _ handle: Installation
    ) async throws -> Histogram {
        var calls = Histogram()
        for number in 0..<pairs {
            var began = Nanoseconds.now
            _ = try await handle.login([.customerID: "c-\(index)-\(number % self.users)"])
            let between = Nanoseconds.now
            calls.record(between - began)
            began = between
            _ = try await handle.logout()
            let ended = Nanoseconds.now
            calls.record(ended - began)
            if let deadline, ended >= deadline { break }
        }
        return calls
    }
}
