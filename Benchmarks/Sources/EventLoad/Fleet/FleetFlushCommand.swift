// SPDX-License-Identifier: Apache-2.0

#if Fleet
import ArgumentParser
import Signet
import SignetPostgres

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

struct FleetFlushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet-flush",
        abstract:
            "Flushes the activity of 10,000 installations each second, past checkpoints and beside an old snapshot.",
        discussion: """
            --events is the number of rows in the table, --seconds the time of a run. A transaction with a snapshot of the \
            begin stays open all the while, and a checkpoint is asked for at a third of the time.

            Example: Benchmarks/fleet-server event-load fleet-flush --events 10000000 --seconds 600 --runs 1
            """
    )

    @OptionGroup var options: LoadOptions
    @OptionGroup var fleet: FleetOptions

    @Option(help: "How many installations are active each second.")
    var active = 10_000

    func validate() throws {
        guard (1...SharedStoreLimits.activities).contains(self.active) else {
            throw ValidationError("--active must be 1 to \(SharedStoreLimits.activities).")
        }
    }

    func run() async throws {
        try await LoadTest.perform("fleet-flush", self.options) { try await self.results($0) }
    }

    private func results(_ test: LoadTest) async throws -> Results {
        var results = Results()
        let database = try await self.fleet.emptied()
        try await FleetCrowd.make(self.rows, in: database, self.fleet, test)
        let sessions = try self.sample(database)
        for run in 1...self.options.runs {
            test.note(run, "\(self.active) of \(self.rows) rows a second")
            let name = "\(self.active) installations of \(self.rows) a second"
            results.add(name, try await self.measure(sessions, database))
        }
        return results
    }

    private var rows: Int { max(self.active, self.options.events ?? 100_000) }
    private var seconds: Int { max(3, Int(self.options.seconds ?? 60)) }

    private struct OpenSession {
        let key: UUID
        let session: UUID
    }

    /// Rows all over the table, at most a million of them.
    private func sample(_ database: Database) throws -> [OpenSession] {
        let count = min(self.rows, 1_000_000)
        let texts = try database.texts(
            """
            select l.k || ' ' || l.session from signet.live l join (
                select distinct \(FleetCrowd.key("n")) as k from (
                    select case when \(self.rows) = \(count) then i - 1 else floor(random() * \(self.rows))::int end as n
                    from generate_series(1, \(count)) i
                ) numbers
            ) sampled on sampled.k = l.k
            """
        )
        return try texts.map { text in
            let words = text.split(separator: " ").compactMap { UUID(uuidString: String($0)) }
            guard words.count == 2 else { throw LoadError("no session: \(text)") }
            return OpenSession(key: words[0], session: words[1])
        }
    }

    private func measure(_ sessions: [OpenSession], _ database: Database) async throws -> [Measure] {
        let store = try self.fleet.makeStore(limit: .seconds(30))
        let replica = UUID()
        let snapshot = try Database(try self.fleet.url())
        try snapshot.run("begin isolation level repeatable read; select count(*) from signet.meta")
        let updates = try Self.updates(database)
        var flushes = Histogram()
        let began = Nanoseconds.now
        for second in 0..<self.seconds {
            if second == self.seconds / 3 { try database.run("checkpoint") }
            var keys: Set<UUID> = []
            var activities: [SharedActivity] = []
            let last = Int64(Date.now.timeIntervalSince1970 * 1_000)
            while activities.count < min(self.active, sessions.count) {
                let one = sessions[Int.random(in: 0..<sessions.count)]
                guard keys.insert(one.key).inserted else { continue }
                activities.append(SharedActivity(key: one.key, session: one.session, last: last, events: 1))
            }
            let before = Nanoseconds.now
            let outcomes = try await store.flush(activities, of: replica, token: UUID(), age: .zero).value
            flushes.record(Nanoseconds.now - before)
            let added = outcomes.count { if case .added = $0 { true } else { false } }
            guard added == activities.count else { throw LoadError("\(activities.count - added) were not added") }
            let next = began + UInt64(second + 1) * 1_000_000_000
            if next > Nanoseconds.now { try await Task.sleep(for: .nanoseconds(next - Nanoseconds.now)) }
        }
        let took = Double(Nanoseconds.now - began) / 1e9
        try snapshot.run("commit")
        await store.close()
        let after = try Self.updates(database)
        let all = after.all - updates.all
        return [
            Measure("flush p50", "s", Double(flushes.quantile(0.5)) / 1e9),
            Measure("flush p99", "s", Double(flushes.quantile(0.99)) / 1e9),
            Measure("flush max", "s", Double(flushes.maximum) / 1e9, goal: .atMost(1)),
            Measure("installations a second", "", Double(self.seconds * self.active) / took),
            Measure("updates that stayed in their page", "", Double(after.hot - updates.hot) / Double(max(1, all))),
            Measure("size of the tables", "MiB", Double(try Self.size(database)) / 1_048_576),
        ]
    }

    /// Updates of `live` so far, and how many of them were heap-only.
    private static func updates(_ database: Database) throws -> (all: Int, hot: Int) {
        // A connection tells of its work when it has been idle for a second.
        let deadline = Nanoseconds.now + 2_000_000_000
        while Nanoseconds.now < deadline { try database.run("select pg_sleep(0.5)") }
        let table = "from pg_stat_user_tables where schemaname = 'signet' and relname = 'live'"
        return (
            try database.number("select n_tup_upd \(table)"), try database.number("select n_tup_hot_upd \(table)")
        )
    }

    private static func size(_ database: Database) throws -> Int {
        try database.number(
            "select sum(pg_total_relation_size(relid))::bigint from pg_stat_user_tables where schemaname = 'signet'"
        )
    }
}
#endif
