// SPDX-License-Identifier: Apache-2.0

#if Fleet
import ArgumentParser
import Signet

struct FleetOpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet-open",
        abstract: "Opens installations that have a row with an open session, and lets them go.",
        discussion: """
            One task against the same select through libpq, prepared and one after the other; 64 tasks against pgbench with \
            8 connections. --events is the number of rows, --seconds the time of each measurement.

            Example: Benchmarks/fleet-server event-load fleet-open --events 100000
            """
    )

    @OptionGroup var options: LoadOptions
    @OptionGroup var fleet: FleetOptions

    private static let select = """
        select n.name, n.state, l.* from signet.live l join signet.installation n on n.k = l.k where l.k =
        """

    func run() async throws {
        try await LoadTest.perform("fleet-open", self.options) { try await self.measure($0) }
    }

    private func measure(_ test: LoadTest) async throws -> Results {
        let database = try await self.fleet.emptied()
        try await FleetCrowd.make(self.rows, in: database, self.fleet, test)
        var results = Results()
        for run in 1...self.options.runs {
            test.note(run, "floors")
            let select = try self.selects()
            let floor = try Pgbench.rate(
                of: "\(Self.select) \(FleetCrowd.key(":n"));",
                clients: 8,
                rows: self.rows,
                seconds: max(1, Int(self.seconds)),
                at: self.fleet.url(),
                in: test.workspace
            )
            test.note(run, "opens")
            let (one, many) = try await self.opens(test)
            results.add(
                "1 task",
                [
                    Measure("an open", "us", one.mean),
                    Measure("floor: a bare prepared select", "us", select.mean),
                    Measure("open / select", "x", one.mean / select.mean, goal: .atMost(1.5)),
                ] + .latency(one.calls)
            )
            results.add(
                "64 tasks",
                [
                    Measure("throughput", "opens/s", many.rate),
                    Measure("floor: pgbench -c 8 of the same select", "selects/s", floor),
                    Measure("opens / selects", "x", many.rate / floor, goal: .atLeast(1.5)),
                ] + .latency(many.calls)
            )
        }
        return results
    }

    // Never inlined: the optimizer of Swift 6.3.1 ends with a signal where it splits the caller.
    @inline(never)
    private func opens(_ test: LoadTest) async throws -> (one: Outcome, many: Outcome) {
        let directory = test.workspace.fresh("open")
        let configuration = FleetCrowd.configuration(directory, store: try self.fleet.makeStore())
        return try await withSignet(configuration, transport: CountingTransport()) { signet in
            _ = try await self.open(signet, tasks: 64, seconds: 0.5)
            return (
                try await self.open(signet, tasks: 1, seconds: self.seconds),
                try await self.open(signet, tasks: 64, seconds: self.seconds)
            )
        }
    }

    private var rows: Int { self.options.events ?? 10_000 }
    private var seconds: Double { self.options.seconds ?? 3 }

    private struct Outcome {
        var calls: Histogram
        let seconds: Double

        var rate: Double { Double(self.calls.total) / self.seconds }
        var mean: Double { self.seconds / Double(self.calls.total) * 1e6 }
    }

    private func selects() throws -> Outcome {
        let database = try Database(try self.fleet.url())
        try database.prepare("\(Self.select) $1::uuid")
        let keys = try database.texts("select k from signet.live limit 100000")
        var calls = Histogram()
        let began = Nanoseconds.now
        var ended = began
        while ended < began + UInt64(self.seconds * 1e9) {
            let before = ended
            guard try database.select(keys[Int.random(in: 0..<keys.count)]) == 1 else {
                throw LoadError("a row is gone")
            }
            ended = Nanoseconds.now
            calls.record(ended - before)
        }
        return Outcome(calls: calls, seconds: Double(ended - began) / 1e9)
    }

    private func open(_ signet: SignetRuntime, tasks: Int, seconds: Double) async throws -> Outcome {
        let rows = self.rows
        let (span, calls) = try await Span.of {
            let deadline = Nanoseconds.now + UInt64(seconds * 1e9)
            return try await withThrowingTaskGroup(of: Histogram.self) { group in
                for _ in 0..<tasks {
                    group.addTask {
                        var calls = Histogram()
                        var ended = Nanoseconds.now
                        while ended < deadline {
                            let before = ended
                            let visitor = try await signet.open(Crowd.id(Int.random(in: 0..<rows)), identify: .none)
                            ended = Nanoseconds.now
                            guard visitor.currentUser != nil else { throw LoadError("a row has no user") }
                            calls.record(ended - before)
                        }
                        return calls
                    }
                }
                var calls = Histogram()
                for try await histogram in group { calls.merge(histogram) }
                return calls
            }
        }
        return Outcome(calls: calls, seconds: span.wall)
    }
}
#endif
