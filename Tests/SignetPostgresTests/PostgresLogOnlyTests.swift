// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetEmulator
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import SignetPostgres

/// A runtime with `.logOnly` on a PostgreSQL that reads and does not write, or refuses; and tables that are made anew.
@Suite(.watched) struct PostgresLogOnlyTests {
    /// Runs a runtime with `.logOnly`.
    private static func run(
        _ url: Secret,
        limit: Duration = .seconds(60),
        _ body: (EmulatedSignet) async throws -> Void
    ) async throws {
        let store = try PostgresStore(url, connections: 2, limit: limit)
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(
            in: folder.path,
            configure: {
                $0.fleet = FleetConfiguration(store: store, whenUnreachable: .logOnly)
                $0.events.uploadInterval = .seconds(3600)
            },
            body
        )
    }

    /// Lets time pass until something is so.
    private static func passing(_ signet: EmulatedSignet, _ what: String, _ isSo: () async throws -> Bool) async throws
    {
        try await until(what) {
            signet.clock.advance(by: .milliseconds(100))
            return try await isSo()
        }
    }

    /// Sends what waits.
    private static func upload(_ signet: EmulatedSignet) async throws {
        try await Self.passing(signet, "all is sent") {
            do throws(SignetError) {
                _ = try await signet.runtime.upload(within: .seconds(60))
                return true
            } catch {
                return false
            }
        }
    }

    private static func names(_ signet: EmulatedSignet) -> [String?] {
        signet.emulator.users().flatMap { signet.emulator.events(of: $0.mpid) }.filter { $0.type == "custom_event" }
            .map(\.name)
    }

    /// `prepare` is answered and `join` is refused, in turn.
    @Test func aRoleWithoutTheRightsOfReplicasLogsAndIsReported() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let role = "app\(UInt32.random(in: 0..<UInt32.max))"
        try await server.sql(
            """
            create role \(role) login; grant usage on schema signet to \(role);
            grant select, insert, update, delete on all tables in schema signet to \(role);
            revoke all on signet.replica, signet.erasure, signet.erased from \(role)
            """,
            in: database
        )
        try await Self.run(server.url(database, user: role)) { signet in
            let here = try await signet.runtime.open("visitor", identify: .none)
            try here.log(.custom("meanwhile"))
            try await Self.passing(signet, "the health names the store") {
                signet.runtime.health.reasons.contains { $0.name == "store_unreachable" }
            }
            try await server.sql(
                "grant select, insert, update, delete on all tables in schema signet to \(role)",
                in: database
            )
            try await signet.runtime.open("visitor", identify: .none).login([.customerID: "c-1"])
            try await Self.upload(signet)
            #expect(Self.names(signet) == ["meanwhile"])
            try await Self.passing(signet, "the health is good again") {
                !signet.runtime.health.reasons.contains { $0.name == "store_unreachable" }
            }
        }
    }

    /// Readings are answered, and each commit waits for a standby that is gone.
    @Test func withoutItsSynchronousStandbyPagesGoOn() async throws {
        let server = try await PostgresServer.start(settings: ["fsync = on"])
        let database = try await server.makeDatabase()
        let url = server.url(database)
        try await Self.run(url, limit: .milliseconds(500)) { signet in
            let known = try await signet.runtime.open("known", identify: .none)
            try await known.login([.customerID: "c-1"])
            try known.log(.custom("before"))
            try await server.sql("alter system set synchronous_standby_names = 'nobody'")
            try await server.sql("set synchronous_commit = local; select pg_reload_conf()")
            let checker = try PostgresBadDaysTests.store(url, connections: 1)
            await until("commits wait") { (try? await checker.check().durability) == .onStandbys("nobody") }
            await checker.close()
            let new = try await signet.runtime.open("new", identify: .none)
            try new.log(.custom("of the new one"))
            #expect(try await signet.runtime.open("known", identify: .none).currentUser != nil)
            try known.log(.custom("of the known one"))
            try await server.sql("alter system reset synchronous_standby_names")
            try await server.sql("set synchronous_commit = local; select pg_reload_conf()")
            try await Self.passing(signet, "commits go on") {
                do throws(SignetError) {
                    try await signet.runtime.open("new", identify: .none).login([.customerID: "c-2"])
                    return true
                } catch {
                    return false
                }
            }
            try await Self.upload(signet)
            #expect(Self.names(signet).compactMap(\.self).sorted() == ["before", "of the known one", "of the new one"])
            #expect(signet.runtime.statistics.eventsLost == 0)
        }
    }

    private static func isBound(
        _ server: PostgresServer,
        _ database: String
    ) async throws -> (rows: Int64, isBound: Bool) {
        let store = try PostgresBadDaysTests.store(server.url(database), connections: 1)
        let statement = PostgresStatement(
            "select (select count(*) from signet.live), (select key_hash is not null from signet.meta)"
        )
        let row = try #require(try await store.answer(statement, until: store.deadline).rows.first)
        await store.close()
        return (row.integer(0), row.bool(1))
    }

    @Test func tablesThatAreMadeAnewAreBoundBeforeARowIsWritten() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        try await Self.run(server.url(database)) { signet in
            try await signet.runtime.open("visitor", identify: .none).login([.customerID: "c-1"])
            signet.clock.advance(by: .seconds(2))
            let owner = try PostgresBadDaysTests.store(server.url(database), connections: 1)
            try await server.sql("drop schema signet cascade", in: database)
            try await owner.setup()
            await owner.close()
            _ = try await signet.runtime.open("other", identify: .none)
            let (rows, isBound) = try await Self.isBound(server, database)
            #expect(rows >= 1 && isBound)
        }
    }

    @Test func tablesThatAnotherWorkspaceHasTakenMeanwhileGetNoRow() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        try await Self.run(server.url(database)) { signet in
            try await signet.runtime.open("visitor", identify: .none).login([.customerID: "c-1"])
            signet.clock.advance(by: .seconds(2))
            let other = try PostgresBadDaysTests.store(server.url(database), connections: 1)
            // The replica may be first: its flush finds the new tables, too.
            try await until("another workspace has the tables") {
                try await server.sql("drop schema signet cascade", in: database)
                try await other.setup()
                return await PostgresBadDaysTests.code { _ = try await other.prepare(workspace: [9, 9, 9]) } == nil
            }
            await other.close()
            do throws(SignetError) {
                _ = try await signet.runtime.open("other", identify: .none)
                Issue.record("a row was made in the tables of another workspace")
            } catch {
                #expect(error.code == .workspaceMismatch && !"\(error)".contains("`directory`"), "\(error)")
            }
            #expect(try await Self.isBound(server, database).rows == 0)
        }
    }

    /// While the tables are gone, opens log; once they are there again, what was logged is delivered.
    @Test func whileTheTablesAreGoneVisitorsAreLogged() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        try await Self.run(server.url(database)) { signet in
            _ = try await signet.runtime.open("first", identify: .none)
            signet.clock.advance(by: .seconds(2))
            try await server.sql("drop schema signet cascade", in: database)
            let here = try await signet.runtime.open("visitor", identify: .none)
            try here.log(.custom("meanwhile"))
            let owner = try PostgresBadDaysTests.store(server.url(database), connections: 1)
            try await owner.setup()
            await owner.close()
            try await signet.runtime.open("visitor", identify: .none).login([.customerID: "c-1"])
            try await Self.upload(signet)
            #expect(Self.names(signet) == ["meanwhile"])
            #expect(try await Self.isBound(server, database).isBound)
        }
    }
}
#endif
