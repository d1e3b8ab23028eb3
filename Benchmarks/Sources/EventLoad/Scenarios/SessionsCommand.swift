// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet
import SignetTesting

/// What many idle sessions cost, and how fast they end together.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Opens N installations and keeps their handles; then all sessions time out at once.",
        discussion: "Example: event-load sessions --events 1000000"
    )

    @OptionGroup var options: LoadOptions

    func run() async throws {
        try await LoadTest.perform("sessions", self.options) { test in
            var results = Results()
            results.note("The clock is one that is moved by hand; nothing is delivered meanwhile, for nobody is known.")
            try await test.eachRun { run in
                test.note(run, "\(self.count) sessions")
                results.add("\(self.count) sessions", try await self.measure(test))
            }
            return results
        }
    }

    private var count: Int { self.options.events ?? 1_000_000 }

    private func measure(_ test: LoadTest) async throws -> [Measure] {
        let directory = test.workspace.fresh("sessions")
        let signet = try EmulatedSignet(in: directory) {
            $0.sessions.timeout = .seconds(60)
            // Each session is watched from the open on.
            $0.sessions.beginsAtOpen = true
        }
        Memory.trim()
        let before = try Memory.anonymous()
        let (opening, handles) = try await Span.of { try await Crowd.open(self.count, of: signet.runtime) }
        let opened = try Memory.anonymous()
        let watched = signet.runtime.statistics.eventsAccepted
        let ending = try await signet.run { signet in
            let (ending, _) = try await Span.of {
                signet.clock.advance(by: .seconds(61))
                while signet.runtime.statistics.eventsAccepted < watched + self.count {
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            return ending
        }
        let ended = try Memory.anonymous()
        let open = handles.count { $0.currentSession != nil }
        guard open == 0 else { throw LoadError("\(open) sessions have not ended.") }
        withExtendedLifetime(handles) {}
        try test.workspace.remove(directory)
        return [
            Measure("opening, each", "us", opening.wall / Double(self.count) * 1e6),
            Measure(
                "memory of an idle installation",
                "bytes",
                Double(opened - before) / Double(self.count),
                goal: .atMost(1024)
            ),
            Measure("all sessions end after one advance of the clock", "s", ending.wall, goal: .atMost(2)),
            Measure("an end, each, CPU", "us", ending.processor / Double(self.count) * 1e6),
            Measure("memory of one whose session has ended", "bytes", Double(ended - before) / Double(self.count)),
        ]
    }
}
