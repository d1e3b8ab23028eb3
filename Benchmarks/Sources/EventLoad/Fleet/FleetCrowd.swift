// SPDX-License-Identifier: Apache-2.0

#if Fleet
import Signet
import SignetEmulator
import SignetPostgres

/// Installations in the store, as many as wanted.
enum FleetCrowd {
    /// The key of the row of `visitor-n`, as SQL over a column or variable of that name.
    static func key(_ n: String) -> String {
        "encode(substring(sha256(convert_to('visitor-' || \(n), 'UTF8')) from 1 for 16), 'hex')::uuid"
    }

    static func configuration(_ directory: String, store: PostgresStore) -> SignetConfiguration {
        var configuration = Crowd.configuration(directory)
        configuration.fleet = FleetConfiguration(store: store)
        return configuration
    }

    /// Makes rows: a runtime makes the first one, with a user and an open session, and SQL copies it under other names.
    ///
    /// Copies share their user and their stamp; each has a session of its own.
    static func make(_ count: Int, in database: Database, _ options: FleetOptions, _ test: LoadTest) async throws {
        let directory = test.workspace.fresh("template")
        let configuration = Self.configuration(directory, store: try options.makeStore())
        try await withSignet(configuration, transport: Emulator().transport) { signet in
            let visitor = try await signet.open(Crowd.id(0), identify: .none)
            _ = try await visitor.login([.customerID: "c-0"])
        }
        // A piece at a time, so that it can be seen how far it is.
        let piece = 250_000
        for first in stride(from: 1, to: count, by: piece) {
            let last = min(count, first + piece) - 1
            if count > piece { test.progress.show("\(first) of \(count) rows are made") }
            try database.run(
                """
                insert into signet.installation (k, name, state, seen)
                    select \(Self.key("n")), 'visitor-' || n, t.state, t.seen
                    from generate_series(\(first), \(last)) n, signet.installation t where t.k = \(Self.key("'0'"));
                insert into signet.live (k, tag, tags, session, started, last, events, look, outbox)
                    select \(Self.key("n")), g.tag, array[g.tag], g.session, t.started, t.last, t.events, t.look, t.outbox
                    from generate_series(\(first), \(last)) n
                    cross join lateral (select gen_random_uuid() as tag, gen_random_uuid() as session where n > 0) g,
                    signet.live t where t.k = \(Self.key("'0'"))
                """
            )
        }
        try database.run("vacuum (analyze) signet.live")
        try database.run("vacuum (analyze) signet.installation")
        try test.workspace.remove(directory)
    }
}
#endif
