// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing

import struct Foundation.UUID

@testable import SignetPostgres

/// The findings of `signet store check`, and a server that is not the primary.
@Suite(.watched) struct PostgresCheckTests {
    private static func report(_ url: Secret) async throws -> PostgresStore.Report {
        let store = try PostgresBadDaysTests.store(url, connections: 1)
        let report = try await store.check()
        await store.close()
        return report
    }

    @Test func thePlaceOfCommitsIsTold() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        // A server of tests has no fsync.
        #expect(try await Self.report(server.url(database)).durability == .nowhere)
        let careful = try await PostgresServer.start(settings: ["fsync = on", "statement_timeout = 10s"])
        let shop = try await careful.makeDatabase()
        #expect(try await Self.report(careful.url(shop)).durability == .onServer)
        try await careful.sql("alter system set synchronous_standby_names = 'first 1 (b, c)'")
        for (mode, durability) in [
            ("local", PostgresStore.Durability.onServer), ("off", .nowhere), ("on", .onStandbys("first 1 (b, c)")),
            ("remote_apply", .onStandbys("first 1 (b, c)")), ("remote_write", .receivedByStandbys("first 1 (b, c)")),
        ] {
            // Set before the standbys count: later no commit comes to an end.
            try await careful.sql(
                "set synchronous_commit = local; alter database \(shop) set synchronous_commit = '\(mode)'"
            )
            try await careful.sql("set synchronous_commit = local; select pg_reload_conf()")
            await until("the setting is there") {
                (try? await Self.report(careful.url(shop)).durability) == durability
            }
        }
        let hints = try await Self.report(careful.url(shop)).hints.map(\.setting)
        #expect(hints == [])
    }

    @Test func settingsThatHarmAFleetAreNamedWithWhatToDo() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        // Those of time-outs do not matter: the store sets its own.
        #expect(try await Self.report(server.url(database)).hints.map(\.setting) == ["fsync"])
        try await server.sql(
            """
            alter database \(database) set statement_timeout = 500;
            alter database \(database) set synchronous_commit = off;
            alter table signet.live reset (autovacuum_vacuum_scale_factor)
            """,
            in: database
        )
        let hints = try await Self.report(server.url(database)).hints
        #expect(
            hints.map { "\($0.setting) \($0.value)" } == [
                "fsync off", "synchronous_commit off", "autovacuum_vacuum_scale_factor 0.2",
            ]
        )
        #expect(hints.allSatisfy { !$0.advice.isEmpty })
    }

    @Test func aPoolerIsFound() async throws {
        let server = try await PostgresServer.start()
        let database = try await server.makeDatabase()
        let port = try await server.startBouncer()
        let pooled = try await Self.report(server.url(database, port: port))
        #expect(pooled.hasPooler && pooled.missing.isEmpty)
        #expect(try await !Self.report(server.url(database)).hasPooler)
    }

    @Test func aStandbyHasNoTimeAndIsNotReached() async throws {
        let server = try await PostgresServer.start()
        let database = try await server.makeDatabase()
        let port = try await server.startBouncer(for: database)
        let store = try PostgresBadDaysTests.store(server.url(database, port: port), connections: 1)
        let (creation, other) = (PostgresBadDaysTests.creation(), PostgresBadDaysTests.creation())
        _ = try await store.commit([creation])
        let standby = try await server.startStandby(primary: server.port)
        // The connection to the pooler stays: libpq has checked it when it led to the primary.
        try await server.leadBouncer(to: standby)
        await until("the pooler leads to the standby") {
            await PostgresBadDaysTests.code { _ = try await store.read([creation.key]) } != nil
        }
        let user = try #require(MPID(rawValue: 7))
        let replica = UUID()
        let calls: [(String, () async throws -> Void)] = [
            ("read", { _ = try await store.read([creation.key]) }), ("read nothing", { _ = try await store.read([]) }),
            ("replicas", { _ = try await store.replicas() }), ("erasures", { _ = try await store.erasures(of: [[1]]) }),
            ("pending", { _ = try await store.pendingErasures(of: replica) }),
            ("acknowledgements", { _ = try await store.acknowledgements(of: replica) }),
            ("mentions", { _ = try await store.mentions(of: user, after: nil, limit: 9) }),
            ("commit", { _ = try await store.commit([other]) }), ("commit nothing", { _ = try await store.commit([]) }),
            ("claim", { _ = try await store.claimDue(1, for: .seconds(1)) }),
            ("remove", { _ = try await store.remove(creation.key, tag: creation.tag) }),
            ("leave", { try await store.leave(replica) }),
            ("prepare", { _ = try await store.prepare(workspace: [1]) }),
        ]
        for (name, call) in calls {
            #expect(await PostgresBadDaysTests.code(call) == .unreachable, "\(name)")
        }
        try await server.leadBouncer(to: server.port)
        await until("the pooler leads to the primary again") {
            (try? await store.read([creation.key]).value.count) == 1
        }
        #expect(try await store.read([other.key]).value.isEmpty)
        await store.close()
    }
}
#endif
