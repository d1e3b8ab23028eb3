// SPDX-License-Identifier: Apache-2.0

#if Fleet
import ArgumentParser
import Signet

struct FleetCrowdCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet-crowd",
        abstract: "New visitors come to two replicas at ten times the rate that they can be opened at.",
        discussion: """
            The replicas are two runtimes in this process, each with a store and a directory of its own. The capacity is that of \
            --tasks opens at once, each followed by the next. Then a thread begins ten times as many opens a second, whatever \
            becomes of them, and the opens that succeed in that time are counted. --seconds is the time of each of the two. \
            Last, --events visitors come in one moment. The floor is pgbench with a bare read and a bare commit for each visitor.

            Server, replicas and visitors share the processors of this machine, so that much of them goes to those who begin the \
            opens. So everything is measured once more with a slow server, which waits --slow milliseconds for each new row.

            Example: Benchmarks/fleet-server event-load fleet-crowd --seconds 5
            """
    )

    @OptionGroup var options: LoadOptions
    @OptionGroup var fleet: FleetOptions

    @Option(help: "The opens at once that find the capacity.")
    var tasks = 512

    @Option(help: "The milliseconds that the slow server waits for each new row.")
    var slow = 4

    @Option(help: "The opens that are offered, as a multiple of the capacity.")
    var overload = 10.0

    /// What an open of a new visitor asks of the server; the row's state has about the size of that of the runtime.
    private static let bare = """
        select n.name, n.state, l.* from signet.live l join signet.installation n on n.k = l.k where l.k = \(key);
        with made as (insert into signet.live (k, tag, tags, session, started, last, events, look, outbox) \
        select \(key), t, array[t], gen_random_uuid(), 1, 1, 0, null, ''::bytea from gen_random_uuid() t \
        on conflict (k) do nothing returning k) insert into signet.installation (k, name, state, seen) \
        select k, 'visitor-' || :n, convert_to(repeat('x', 200), 'UTF8'), current_date from made on conflict (k) do nothing;
        """
    private static let key = FleetCrowd.key(":n")

    func run() async throws {
        try await LoadTest.perform("fleet-crowd", self.options) { try await self.results($0) }
    }

    private func results(_ test: LoadTest) async throws -> Results {
        var results = Results()
        for run in 1...self.options.runs {
            for (server, pause, clients) in [("this server", 0, 64), ("a slow server", self.slow, 8)] {
                try await self.emptied(pause)
                test.note(run, "\(server): floor")
                let floor = try Pgbench.rate(
                    of: Self.bare,
                    clients: clients,
                    rows: 2_000_000_000,
                    seconds: max(1, Int(self.seconds)),
                    at: self.fleet.url(),
                    in: test.workspace
                )
                try await self.emptied(pause)
                let (crowd, burst) = try await self.measure(floor, run, test)
                results.add("\(server), \(Self.text(self.overload)) x the capacity", crowd)
                results.add("\(server), \(self.visitors) visitors in one moment", burst)
            }
        }
        return results
    }

    /// Makes the tables, with a pause of some milliseconds for each new row.
    private func emptied(_ pause: Int) async throws {
        let database = try await self.fleet.emptied()
        guard pause > 0 else { return }
        try database.run(
            """
            create function signet.pause() returns trigger language plpgsql as $$
            begin perform pg_sleep(\(pause) / 1000.0); return new; end $$;
            create trigger pause before insert on signet.installation for each row execute function signet.pause()
            """
        )
    }

    private var visitors: Int { self.options.events ?? 20_000 }

    private typealias Measures = (crowd: [Measure], burst: [Measure])

    private var seconds: Double { self.options.seconds ?? 5 }

    private static func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(number)
    }

    // Never inlined, as the others below: the optimizer of Swift 6.3.1 ends with a signal where it splits the caller.
    @inline(never)
    private func measure(_ floor: Double, _ run: Int, _ test: LoadTest) async throws -> Measures {
        let directories = (0..<2).map { test.workspace.fresh("replica-\($0)") }
        let signets = try directories.map { directory in
            let configuration = FleetCrowd.configuration(directory, store: try self.fleet.makeStore())
            return try SignetRuntime(configuration, transport: CountingTransport())
        }
        let measures = try await self.run(signets, floor, run, test)
        for directory in directories { try test.workspace.remove(directory) }
        return measures
    }

    @inline(never)
    private func run(
        _ signets: [SignetRuntime],
        _ floor: Double,
        _ run: Int,
        _ test: LoadTest
    ) async throws -> Measures {
        let runs = signets.map { signet in Task { try await signet.run() } }
        let result = await self.result(CrowdLoad(signets), floor, run, test)
        for signet in signets { await signet.shutdown(within: .seconds(120)) }
        for run in runs { try await run.value }
        return try result.get()
    }

    @inline(never)
    private func result(
        _ load: CrowdLoad,
        _ floor: Double,
        _ run: Int,
        _ test: LoadTest
    ) async -> Result<Measures, any Error> {
        do { return .success(try await self.measure(load, floor, run, test)) } catch { return .failure(error) }
    }

    @inline(never)
    private func measure(
        _ load: CrowdLoad,
        _ floor: Double,
        _ run: Int,
        _ test: LoadTest
    ) async throws -> Measures {
        test.note(run, "capacity")
        _ = try await load.capacity(tasks: self.tasks, seconds: 1)
        let capacity = try await load.capacity(tasks: self.tasks, seconds: self.seconds)
        let offered = self.overload * capacity.rate
        let beside = try await load.capacity(tasks: self.tasks, seconds: self.seconds, beside: offered)
        test.note(run, "\(Int(offered)) opens a second")
        let crowd = try await load.offer(offered, seconds: self.seconds)
        let recovery = try await load.recovery()
        // What was learned is forgotten by then.
        try await Task.sleep(for: .seconds(5))
        test.note(run, "\(self.visitors) visitors in one moment")
        let burst = try await load.burst(self.visitors)
        return (Self.measures(crowd, capacity, beside, floor, recovery), Self.measures(burst, capacity))
    }

    private static func milliseconds(_ calls: Histogram, _ share: Double) -> Double {
        Double(calls.quantile(share)) / 1e6
    }

    private static func measures(_ burst: CrowdLoad.Outcome, _ capacity: CrowdLoad.Outcome) -> [Measure] {
        [
            Measure("opened", "opens", Double(burst.opened.total)),
            Measure("until the last of them", "ms", burst.seconds * 1_000),
            Measure("goodput", "opens/s", burst.rate),
            Measure("goodput / capacity", "x", burst.rate / capacity.rate, goal: .atLeast(0.8)),
            Measure("until a refusal p99", "ms", milliseconds(burst.refused, 0.99)),
            Measure("refused as `storeBusy`", "opens", Double(burst.codes[.storeBusy, default: 0])),
            Measure("refused as `storeUnreachable`", "opens", Double(burst.codes[.storeUnreachable, default: 0])),
        ]
    }

    private static func measures(
        _ crowd: CrowdLoad.Outcome,
        _ capacity: CrowdLoad.Outcome,
        _ beside: CrowdLoad.Outcome,
        _ floor: Double,
        _ recovery: Double
    ) -> [Measure] {
        [
            Measure("capacity", "opens/s", capacity.rate),
            Measure("floor: pgbench of a read and a commit each", "visitors/s", floor),
            Measure("capacity / floor", "x", capacity.rate / floor),
            Measure("capacity beside as many tasks that open nothing", "opens/s", beside.rate),
            Measure("refused at capacity", "opens", Double(capacity.refused.total + beside.refused.total)),
            Measure("open at capacity p50", "ms", milliseconds(capacity.opened, 0.5)),
            Measure("open at capacity p99", "ms", milliseconds(capacity.opened, 0.99)),
            Measure("offered", "opens/s", crowd.offered),
            Measure("goodput", "opens/s", crowd.rate),
            Measure("goodput / capacity", "x", crowd.rate / capacity.rate, goal: .atLeast(0.8)),
            Measure("goodput / capacity beside such tasks", "x", crowd.rate / beside.rate),
            Measure("open in the crowd p50", "ms", milliseconds(crowd.opened, 0.5)),
            Measure("open in the crowd p99", "ms", milliseconds(crowd.opened, 0.99)),
            Measure("until a refusal p50", "ms", milliseconds(crowd.refused, 0.5)),
            Measure("until a refusal p99", "ms", milliseconds(crowd.refused, 0.99), goal: .atMost(50)),
            Measure("until a refusal at most", "ms", milliseconds(crowd.refused, 1)),
            Measure("from arrival until a refusal p99", "ms", milliseconds(crowd.refusedSinceArrival, 0.99)),
            Measure("refused as `storeBusy`", "opens", Double(crowd.codes[.storeBusy, default: 0])),
            Measure("refused as `storeUnreachable`", "opens", Double(crowd.codes[.storeUnreachable, default: 0])),
            Measure("`outcomeUnknown`", "opens", Double(crowd.codes[.outcomeUnknown, default: 0])),
            Measure("until an open works again", "ms", recovery * 1_000),
        ]
    }
}
#endif
