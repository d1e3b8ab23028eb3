// SPDX-License-Identifier: Apache-2.0

#if Fleet
import ArgumentParser
import Signet
import SignetEmulator

struct FleetLoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet-login",
        abstract: "Pairs of login and logout on 64 installations at once, each call with two commits.",
        discussion: """
            The platform is the emulator in this process. The floor is pgbench with 64 connections and the two commits of a \
            call in plain SQL: the slot is taken, and the answer is stored.

            Example: Benchmarks/fleet-server event-load fleet-login --seconds 5
            """
    )

    @OptionGroup var options: LoadOptions
    @OptionGroup var fleet: FleetOptions

    /// The slot goes with the answer; the row's state has the size that the runtime's has.
    private static let commits = """
        update signet.live set slot = gen_random_uuid(), slot_owner = gen_random_uuid(), slot_until = 1 where k = \(key);
        with c as (update signet.live set tag = gen_random_uuid(), tags = (array_prepend(gen_random_uuid(), tags))[1:16], \
        slot = null, slot_owner = null, slot_until = null where k = \(key) returning k) \
        update signet.installation n set state = n.state || ''::bytea from c where n.k = c.k;
        """
    private static let key = FleetCrowd.key(":n")

    func run() async throws {
        try await LoadTest.perform("fleet-login", self.options) { try await self.measure($0) }
    }

    private func measure(_ test: LoadTest) async throws -> Results {
        try await self.fleet.empty()
        let directory = test.workspace.fresh("login")
        let emulator = Emulator()
        var results = Results()
        for run in 1...self.options.runs {
            test.note(run, "\(Self.installations) installations")
            let configuration = FleetCrowd.configuration(directory, store: try self.fleet.makeStore())
            let measures = try await withSignet(configuration, transport: emulator.transport) { signet in
                try await self.measure(signet, test)
            }
            results.add("\(Self.installations) installations at once", measures)
        }
        try test.workspace.remove(directory)
        return results
    }

    private func measure(_ signet: SignetRuntime, _ test: LoadTest) async throws -> [Measure] {
        let handles = try await Crowd.open(Self.installations, of: signet)
        for handle in handles { _ = try await handle.login([.customerID: "first"]) }
        let floor = try Pgbench.rate(
            of: Self.commits,
            clients: Self.installations,
            rows: Self.installations,
            seconds: max(1, Int(self.seconds)),
            at: self.fleet.url(),
            in: test.workspace
        )
        // What pgbench has left is no tag that a handle knows.
        for handle in handles { try await handle.refresh() }
        let (span, calls) = try await Span.of { try await self.pairs(handles) }
        let rate = Double(calls.total) / span.wall
        return [
            Measure("throughput", "calls/s", rate),
            Measure("floor: pgbench -c 64 of its two commits", "pairs/s", floor),
            Measure("calls / floor", "x", rate / floor, goal: .atLeast(0.7)),
            Measure("CPU a call, without PostgreSQL", "us", span.processor / Double(calls.total) * 1e6),
        ] + .latency(calls)
    }

    private static let installations = 64
    private var seconds: Double { self.options.seconds ?? 5 }

    private func pairs(_ handles: [Installation]) async throws -> Histogram {
        let deadline = Nanoseconds.now + UInt64(self.seconds * 1e9)
        return try await withThrowingTaskGroup(of: Histogram.self) { group in
            for (index, handle) in handles.enumerated() {
                group.addTask {
                    var calls = Histogram()
                    var (before, number) = (Nanoseconds.now, 0)
                    while before < deadline {
                        if number.isMultiple(of: 2) {
                            _ = try await handle.login([.customerID: "c-\(index)-\(number % 8)"])
                        } else {
                            _ = try await handle.logout()
                        }
                        number += 1
                        let ended = Nanoseconds.now
                        calls.record(ended - before)
                        before = ended
                    }
                    return calls
                }
            }
            var calls = Histogram()
            for try await histogram in group { calls.merge(histogram) }
            return calls
        }
    }
}
#endif
