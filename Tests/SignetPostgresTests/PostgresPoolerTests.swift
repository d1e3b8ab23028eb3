// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct Foundation.UUID

@testable import SignetPostgres

/// A PgBouncer that gave a statement to no server says so, and nothing has happened.
@Suite(.watched) struct PostgresPoolerTests {
    private static func code(_ state: String, _ message: String) -> SharedStoreError.Code {
        PostgresFailure(state: state, serverMessage: message, redacting: []).error(closed: true).code
    }

    @Test(arguments: [
        "server login has been failing, try again later (server_login_retry)",
        "server login has been failing, cached error: connect failed (server_login_retry)",
        "pgbouncer cannot connect to server", "query_wait_timeout", "client_idle_timeout", "server shutting down",
        "server login failed: wrong password type", "server login failed: invalid server signature", "pause failed",
        "no more connections allowed (max_client_conn)",
        "client connections exceeded (max_db_client_connections)", "pooler is shutting down",
        // What a server answers to the log-in of a pooler, which passes it on with a code of its own.
        "the database system is starting up", "the database system is shutting down",
        "the database system is in recovery mode", "the database system is not yet accepting connections",
        "sorry, too many clients already", "too many connections for role \"app\"",
        "too many connections for database \"shop\"",
        "remaining connection slots are reserved for non-replication superuser connections",
    ])
    func aStatementThatNoServerGotHasNotHappened(text: String) {
        #expect(Self.code("08P01", text) == .unreachable)
    }

    @Test(arguments: [
        "server conn crashed?", "query_timeout", "idle transaction timeout", "transaction timeout", "bad pkt header",
        "out of memory", "suspend_timeout", "database removed", "database configuration changed", "server_lifetime",
        "unknown pkt from server", "a text that no version of today has",
    ])
    func aStatementThatAServerMayHaveGotIsDoubtful(text: String) {
        #expect(Self.code("08P01", text) == .outcomeUnknown)
    }

    /// The server ends a session that has nothing to do: it has begun no statement.
    @Test func theEndOfAnIdleSessionIsUnreachable() {
        #expect(Self.code("57P05", "terminating connection due to idle-session timeout") == .unreachable)
        #expect(Self.code("08006", "server login has been failing") == .unreachable)
        #expect(Self.code("XX000", "query_wait_timeout") == .outcomeUnknown)
    }

    /// The first statement waits in the pooler, which tries to connect: only those after its failure are refused at once.
    private static let limit = Duration.seconds(3)

    private static func pooled() async throws -> (PostgresServer, database: String, port: Int) {
        let server = try await PostgresServer.start()
        let database = try await server.makeDatabase()
        return (server, database, try await server.startBouncer(for: database))
    }

    @Test func behindAPoolerAServerThatIsAwayIsUnreachable() async throws {
        let (server, database, port) = try await Self.pooled()
        let store = try PostgresBadDaysTests.store(server.url(database, port: port), connections: 1, limit: Self.limit)
        let creation = PostgresBadDaysTests.creation()
        _ = try await store.commit([creation])
        try await server.stop()
        await until("the pooler has found that the server is away") {
            await PostgresBadDaysTests.code { _ = try await store.read([creation.key]) } == .unreachable
        }
        let next = SharedCommit(creation.id, key: creation.key, if: .tag(creation.tag), tag: UUID(), state: [2])
        for _ in 0..<5 {
            #expect(await PostgresBadDaysTests.code { _ = try await store.commit([next]) } == .unreachable)
        }
        try await server.start()
        await until("the server is back") { (try? await store.read([creation.key]).value.map(\.tag)) == [creation.tag] }
        await store.close()
    }

    @Test func changesOfARuntimeBehindSuchAPoolerAreStoreUnreachable() async throws {
        let (server, database, port) = try await Self.pooled()
        let store = try PostgresStore(server.url(database, port: port), connections: 1, limit: Self.limit)
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path, configure: { $0.fleet = FleetConfiguration(store: store) }) {
            signet in
            let here = try await signet.runtime.open("visitor", identify: .none)
            try await here.login([.customerID: "c-1"])
            try await server.stop()
            await until("the pooler has found that the server is away") {
                do throws(SignetError) {
                    try await here.refresh()
                    return false
                } catch {
                    return error.code == .storeUnreachable
                }
            }
            let calls: [(String, () async throws(SignetError) -> Void)] = [
                ("setAttribute", { () async throws(SignetError) in try await here.setAttribute("blue", for: "color") }),
                ("setOptedOut", { () async throws(SignetError) in try await here.setOptedOut(true) }),
                ("login", { () async throws(SignetError) in _ = try await here.login([.customerID: "c-2"]) }),
            ]
            for (name, call) in calls {
                do throws(SignetError) {
                    try await call()
                    Issue.record("\(name) was carried out")
                } catch {
                    #expect(error.code == .storeUnreachable, "\(name): \(error)")
                }
            }
            #expect(!here.isOptedOut)
            try await server.start()
        }
    }
}
#endif
