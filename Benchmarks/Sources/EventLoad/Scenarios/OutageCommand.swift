// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet

/// An outage of the platform during which only new visitors come, and none of them returns.
struct OutageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outage",
        abstract: "How long until nothing waits after an outage with N new visitors who never return.",
        discussion: """
            While the platform is away, each visitor is opened once and logs two events. Then it is well, nobody opens \
            anything, and the time counts until no event waits and no work is due. The floors are the requests that are \
            needed at least, one identify for each visitor and their batches, and the time that these identifies need at \
            identity.automaticPerSecond.

            Example: event-load outage --events 10000 --seconds 3600 --runs 1
            """
    )

    @OptionGroup var options: LoadOptions

    @Flag(help: "A new process begins at the moment in which the platform is well.")
    var restart = false

    /// New visitors, if `--events` does not say it.
    private static let visitors = 10_000
    /// The events of each visitor, besides begin and end of their session.
    private static let eventsOfAVisitor = 2

    func run() async throws {
        try await LoadTest.perform("outage", self.options) { test in
            var results = Results()
            results.note("The emulator answers identities in this process; events are counted.")
            let (count, seconds) = (self.options.events ?? Self.visitors, self.options.seconds ?? 3600)
            try await test.eachRun { run in
                test.note(run, "\(count) visitors in \(Int(seconds)) s without a platform")
                let name = self.restart ? "\(count) visitors, a restart at its end" : "\(count) visitors"
                results.add(name, try await self.measure(count, seconds, test, &results))
            }
            return results
        }
    }

    private func measure(
        _ count: Int,
        _ seconds: Double,
        _ test: LoadTest,
        _ results: inout Results
    ) async throws -> [Measure] {
        let directory = test.workspace.fresh("outage")
        let configuration = Self.configuration(directory)
        let platform = AbsentPlatform()
        let afterRestart = self.restart
        let living = try await withSignet(configuration, transport: platform) { signet in
            try await Self.visit(count, within: seconds, signet)
            guard !afterRestart else { return nil as (span: Double, left: Int)? }
            return try await Self.recover(platform, signet)
        }
        let recovery: (span: Double, left: Int)
        if let living {
            recovery = living
        } else {
            recovery = try await withSignet(configuration, transport: platform) { signet in
                try await Self.recover(platform, signet)
            }
        }
        let counts = platform.counts
        try test.workspace.remove(directory)
        let wanted = count * Self.eventsOfAVisitor
        if counts.events < wanted || recovery.left > 0 {
            results.fail("\(counts.events) of \(wanted) events arrived, \(recovery.left) are left")
        }
        let floor = Double(count) / configuration.identity.automaticPerSecond
        return [
            Measure("until nothing waits", "s", recovery.span),
            Measure("floor: the identifies at the limit", "s", floor),
            Measure(
                "until nothing waits / the identifies at the limit",
                "x",
                recovery.span / floor,
                goal: .atMost(1.5)
            ),
            Measure("identifies after the outage", "", Double(counts.identifies)),
            Measure("floor: visitors", "", Double(count)),
            Measure("identifies / visitors", "x", Double(counts.identifies) / Double(count)),
            Measure("requests with events", "", Double(counts.uploads)),
            Measure("requests while the platform was away", "", Double(counts.refused)),
            Measure("events that arrived", "", Double(counts.events)),
        ]
    }

    private static func configuration(_ directory: String) -> SignetConfiguration {
        let known = Crowd.configuration(directory)
        var configuration = SignetConfiguration(apiKey: known.apiKey, secret: known.secret, directory: directory)
        configuration.events.uploadMode = .bulk
        // Sessions end while it measures, whether visitors return or not.
        configuration.sessions.timeout = .seconds(60)
        configuration.reportsToStandardError = false
        return configuration
    }

    private static func visit(_ count: Int, within seconds: Double, _ signet: SignetRuntime) async throws {
        let began = Nanoseconds.now
        for number in 0..<count {
            let due = began + UInt64(seconds * 1e9 * Double(number) / Double(count))
            let now = Nanoseconds.now
            if due > now { try await Task.sleep(for: .nanoseconds(due - now)) }
            let visitor = try await signet.open(Crowd.id(number), identify: .ifUnknown)
            for _ in 0..<Self.eventsOfAVisitor { try visitor.log(.screen("/")) }
        }
    }

    /// Lets the platform be well, and waits until nothing is due.
    private static func recover(
        _ platform: AbsentPlatform,
        _ signet: SignetRuntime
    ) async throws -> (span: Double, left: Int) {
        platform.comesBack()
        let began = Nanoseconds.now
        var doneAt = began
        // Ends of sessions come later: what counts is the last moment at which something waited.
        while Nanoseconds.now - doneAt < 90_000_000_000, Nanoseconds.now - began < 3_600_000_000_000 {
            if signet.statistics.eventsWaiting > 0 || signet.statistics.dueWork["identity", default: 0] > 0 {
                doneAt = Nanoseconds.now
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        return (Double(doneAt - began) / 1e9, signet.statistics.eventsWaiting)
    }
}
