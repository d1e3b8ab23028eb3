// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing

@testable import SignetPostgres

/// Each fault of the tables is found by a check, with the statement that mends it; the statement mends it.
@Suite(.watched, .serialized) struct PostgresSchemaTests {
    private static func problems(_ url: Secret) async throws -> [PostgresStore.Problem] {
        let store = try PostgresBadDaysTests.store(url, connections: 1)
        let problems = try await store.check().problems
        await store.close()
        return problems
    }

    private static func setup(_ url: Secret) async throws {
        let store = try PostgresBadDaysTests.store(url, connections: 1)
        try await store.setup()
        await store.close()
    }

    /// The statements of a remedy.
    private static func statements(in remedy: String) -> [String] {
        remedy.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }.filter { !$0.hasPrefix("signet ") }
    }

    /// All faults that one statement makes, as lines.
    private static let faults: [(fault: String, line: String)] = [
        ("drop table signet.erased", "the table signet.erased is missing: run `signet store setup`"),
        (
            "alter table signet.live drop column look",
            "the column look of signet.live is missing: run `signet store setup`, or `alter table signet.live add column look bigint`"
        ),
        (
            "alter table signet.erasure drop column rows_done",
            """
            the column rows_done of signet.erasure is missing: run `signet store setup`, or `alter table signet.erasure add column \
            rows_done boolean not null default false`
            """
        ),
        (
            "alter table signet.live drop column outbox",
            """
            the column outbox of signet.live is missing: restore the table from a backup; if it is empty, run `signet store setup`, or \
            `alter table signet.live add column outbox bytea not null`
            """
        ),
        (
            "alter table signet.live alter column slot_until type text",
            """
            the column slot_until of signet.live has the type text, not bigint: `alter table signet.live alter column slot_until \
            type bigint using slot_until::text::bigint`
            """
        ),
        (
            "alter table signet.replica alter column known drop default",
            "the column known of signet.replica has no default: `alter table signet.replica alter column known set default false`"
        ),
        (
            "alter table signet.mention drop constraint mention_pkey",
            """
            the primary key (mpid, k) of signet.mention is missing: run `signet store setup`, or `alter table signet.mention \
            add primary key (mpid, k)`
            """
        ),
        (
            "drop index signet.live_look",
            """
            the index on (look) of signet.live is missing: run `signet store setup`, or `create index if not exists live_look \
            on signet.live (look) where look is not null`
            """
        ),
        (
            "update pg_index set indisvalid = false where indexrelid = 'signet.mention_k'::regclass",
            "the index signet.mention_k is not valid: a build of it has failed: `reindex index signet.mention_k`"
        ),
        (
            "update signet.meta set format = 0",
            """
            the format of rows is 0, this version writes no older one than 1: stop replicas of older versions, then run \
            `signet store upgrade --finish`
            """
        ),
        (
            "update signet.meta set format = 9",
            "the format of rows is 9, this version reads up to 1: use a newer version of Signet"
        ),
        ("delete from signet.meta", "the table signet.meta is empty: run `signet store setup`"),
    ]

    @Test(arguments: faults.indices) func aFaultOfTheTablesIsNamedWithTheStatementThatMendsIt(index: Int) async throws {
        let (fault, line) = Self.faults[index]
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let url = server.url(database)
        #expect(try await Self.problems(url).isEmpty)
        try await server.sql("set allow_system_table_mods = on; \(fault)", in: database)
        let found = try await Self.problems(url)
        #expect(found.map(\.description).contains(line), "\(found.map(\.description))")
        for problem in found {
            for statement in Self.statements(in: problem.remedy) { try await server.sql(statement, in: database) }
        }
        if found.contains(where: { $0.remedy.contains("signet store setup") }) { try await Self.setup(url) }
        guard !line.contains("upgrade"), !line.contains("newer version") else { return }
        #expect(try await Self.problems(url).isEmpty)
    }

    @Test(arguments: PostgresSchema.tables.flatMap { table in table.columns.map { [table.name, $0.name] } })
    func setupAddsEachColumnThatAnEmptyTableLacks(column: [String]) async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        try await server.sql(
            "delete from signet.meta; alter table signet.\(column[0]) drop column \(column[1]) cascade",
            in: database
        )
        #expect(try await !Self.problems(server.url(database)).isEmpty)
        try await Self.setup(server.url(database))
        #expect(try await Self.problems(server.url(database)) == [])
        // The store works.
        let store = try PostgresBadDaysTests.store(server.url(database), connections: 1)
        _ = try await store.prepare(workspace: [1])
        #expect(try await store.commit([PostgresBadDaysTests.creation()]).value == [.committed])
        await store.close()
    }

    @Test func aColumnWhoseValuesNobodyKnowsIsNotMadeUp() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let store = try PostgresBadDaysTests.store(server.url(database), connections: 1)
        _ = try await store.commit([PostgresBadDaysTests.creation()])
        try await server.sql("alter table signet.live drop column tags", in: database)
        await PostgresBadDaysTests.expect(.failed, "`signet store check` says which") { try await store.setup() }
        await PostgresBadDaysTests.expect(.schemaMissing, "run `signet store setup`") {
            _ = try await store.commit([PostgresBadDaysTests.creation()])
        }
        let line = try await store.check().problems.first?.description
        #expect(line?.contains("restore the table from a backup") == true, "\(line ?? "no problem")")
        await store.close()
    }

    @Test func rightsThatAUserLacksAreNamedWithTheGrant() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let role = "App\(UInt32.random(in: 0..<UInt32.max))"
        try await server.sql("create role \\\"\(role)\\\" login", in: database)
        let url = server.url(database, user: role)
        let closed = try await Self.problems(url).map(\.description)
        #expect(
            closed.first
                == "the schema signet is closed to the user \"\(role)\": `grant usage on schema signet to \"\(role)\"`"
        )
        #expect(closed.count == 1 + PostgresSchema.tables.count)
        try await server.sql(
            """
            grant usage on schema signet to \\\"\(role)\\\";
            grant select, insert, update, delete on all tables in schema signet to \\\"\(role)\\\";
            revoke insert, update on signet.replica from \\\"\(role)\\\"
            """,
            in: database
        )
        #expect(
            try await Self.problems(url).map(\.description) == [
                "the table signet.replica refuses insert, update to the user \"\(role)\": "
                    + "`grant insert, update on signet.replica to \"\(role)\"`"
            ]
        )
        try await server.sql("grant insert, update on signet.replica to \\\"\(role)\\\"", in: database)
        #expect(try await Self.problems(url) == [])
        let store = try PostgresBadDaysTests.store(url, connections: 1)
        await PostgresBadDaysTests.expect(.notPermitted, "run it as the user postgres") { try await store.setup() }
        await store.close()
    }

    @Test func whoMayNotMakeASchemaHearsWhoMay() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase(withTables: false)
        let role = "app\(UInt32.random(in: 0..<UInt32.max))"
        try await server.sql("create role \(role) login", in: database)
        let store = try PostgresBadDaysTests.store(server.url(database, user: role), connections: 1)
        #expect(try await store.check().problems.count == 1)
        await PostgresBadDaysTests.expect(.notPermitted, "`grant create on database \(database) to \(role)`") {
            try await store.setup()
        }
        try await server.sql("grant create on database \(database) to \(role)", in: database)
        try await store.setup()
        #expect(try await store.check().problems.isEmpty)
        await store.close()
    }

    @Test(arguments: ["LATIN1", "SQL_ASCII"])
    func aDatabaseWithAnotherEncodingSaysHowToMakeARightOne(encoding: String) async throws {
        let server = try await PostgresServer.shared()
        let database = "signet_\(UInt32.random(in: 0..<UInt32.max))"
        try await server.sql("create database \(database) encoding '\(encoding)' template template0")
        let line = """
            the database \(database) has the encoding \(encoding), which no statement changes: make another one with \
            `create database \(database)_utf8 encoding 'UTF8' template template0`, and name it in the URL
            """
        #expect(try await Self.problems(server.url(database)).first?.description == line)
        let store = try PostgresBadDaysTests.store(server.url(database), connections: 1)
        await PostgresBadDaysTests.expect(.failed, line) { try await store.setup() }
        await store.close()
        try await server.sql("create database \(database)_utf8 encoding 'UTF8' template template0")
        try await Self.setup(server.url("\(database)_utf8"))
        #expect(try await Self.problems(server.url("\(database)_utf8")) == [])
    }
}
#endif
