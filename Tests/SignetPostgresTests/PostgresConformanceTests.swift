// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetFleetSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import SignetPostgres

/// The rules of ``SharedStoreConformance`` on a real PostgreSQL.
@Suite(.watched) struct PostgresConformanceTests {
    static let workspace: [UInt8] = [1, 2, 3]

    /// The limit is long: other tests run beside these, and these say nothing about time.
    static func tools(
        _ server: PostgresServer,
        _ database: String,
        user: String = "postgres",
        port: Int? = nil
    ) -> SharedStoreConformance.Tools {
        SharedStoreConformance.Tools(
            workspace: Self.workspace,
            makeStore: {
                let url = server.url(database, user: user, port: port)
                let store = try PostgresStore(url, connections: 2, limit: .seconds(60))
                _ = try await store.prepare(workspace: Self.workspace)
                return store
            },
            passTime: { span in
                let store = try PostgresStore(server.url(database), connections: 1, limit: .seconds(60))
                _ = try await store.answer(
                    PostgresStatement("select pg_sleep($1 / 1000.0)", .integer(PostgresStore.milliseconds(span))),
                    until: store.deadline
                )
                await store.close()
            },
            passDays: { days in
                try await server.sql(
                    """
                    update signet.installation set seen = seen - \(days);
                    update signet.user_consent set seen = seen - \(days);
                    update signet.live set look = look - \(days) * 86400000::bigint,
                        slot_until = slot_until - \(days) * 86400000::bigint;
                    update signet.replica set beat = beat - \(days) * 86400000::bigint, seen = seen - \(days) * 86400000::bigint;
                    update signet.erasure set at = at - \(days) * 86400000::bigint
                    """,
                    in: database
                )
            }
        )
    }

    @Test func eachRuleHolds() async throws {
        let server = try await PostgresServer.shared()
        try await Self.run(on: server, try await server.makeDatabase())
    }

    /// These are the rights that the article "Several replicas" grants.
    @Test func eachRuleHoldsForAUserWhoDoesNotOwnTheTables() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let user = "app_of_\(database)"
        try await server.sql(
            """
            create role \(user) login;
            grant usage on schema signet to \(user);
            grant select, insert, update, delete on all tables in schema signet to \(user)
            """,
            in: database
        )
        try await Self.run(on: server, database, user: user)
    }

    /// Its sessions lie: two statements of one connection may go to two sessions, and what `SET` sets is another client's.
    @Test func eachRuleHoldsBehindPgBouncerInTransactionMode() async throws {
        let server = try await PostgresServer.shared()
        try await Self.run(on: server, try await server.makeDatabase(), port: try await server.startBouncer())
    }

    private static func run(
        on server: PostgresServer,
        _ database: String,
        user: String = "postgres",
        port: Int? = nil
    ) async throws {
        let tools = Self.tools(server, database, user: user, port: port)
        let store = try await tools.makeStore()
        for rule in SharedStoreConformance.cases.shuffled() + SharedStoreConformance.agingCases {
            do {
                try await rule.run(store, tools)
            } catch {
                Issue.record(error)
            }
        }
        await store.close()
    }
}
#endif
