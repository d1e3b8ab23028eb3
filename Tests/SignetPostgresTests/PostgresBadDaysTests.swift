// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing

import struct Foundation.UUID

@testable import SignetPostgres

/// What callers get when something is wrong with the server that all tests share; each test has a database of its own.
@Suite(.watched) struct PostgresBadDaysTests {
    static let workspace: [UInt8] = [1, 2, 3]

    static func store(_ url: Secret, connections: Int = 2, limit: Duration = .seconds(60)) throws -> PostgresStore {
        try PostgresStore(url, connections: connections, limit: limit)
    }

    /// The error of a call; no password is in it.
    private static func failure(_ body: () async throws -> Void) async -> SharedStoreError? {
        do {
            try await body()
            return nil
        } catch let error as SharedStoreError {
            #expect(!error.description.contains("hunter2"))
            return error
        } catch {
            Issue.record(error)
            return nil
        }
    }

    /// The code of the error of a call.
    static func code(_ body: () async throws -> Void) async -> SharedStoreError.Code? {
        await Self.failure(body)?.code
    }

    /// Expects an error that names what to do.
    static func expect(
        _ code: SharedStoreError.Code,
        _ advice: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async {
        let failure = await Self.failure(body)
        let isNamed = failure?.message.contains(advice) == true
        #expect(failure?.code == code && isNamed, "\(failure as Any)", sourceLocation: sourceLocation)
    }

    static func creation() -> SharedCommit {
        let key = UUID()
        return SharedCommit(InstallationID("bad-day-\(key)"), key: key, if: .isMissing, tag: UUID(), state: [1])
    }

    @Test func aWrongPasswordAMissingDatabaseAndAMissingSchemaSaySo() async throws {
        let server = try await PostgresServer.shared()
        let empty = try await server.makeDatabase(withTables: false)
        try await server.sql(
            "create role shop login password 'right'; grant all on database \(empty) to shop",
            in: empty
        )
        let wrong = try Self.store(server.url(empty, user: "shop", password: "hunter2"))
        await Self.expect(.notPermitted, "check user and password in the URL, and pg_hba.conf") {
            _ = try await wrong.prepare(workspace: Self.workspace)
        }
        let nowhere = try Self.store(server.url("signet_nowhere"))
        await Self.expect(.schemaMissing, "create the database, then run `signet store setup`") {
            _ = try await nowhere.prepare(workspace: Self.workspace)
        }
        let store = try Self.store(server.url(empty, user: "shop", password: "right"))
        let setup = "run `signet store setup`"
        await Self.expect(.schemaMissing, setup) { _ = try await store.prepare(workspace: Self.workspace) }
        await Self.expect(.schemaMissing, setup) { _ = try await store.read([UUID()]) }
        #expect(try await store.check().missing.contains("select on signet.live"))
        // The tables are another user's.
        let owner = try Self.store(server.url(empty))
        try await owner.setup()
        let grant = "grant the user its rights on the schema signet"
        await Self.expect(.notPermitted, grant) { _ = try await store.prepare(workspace: Self.workspace) }
        await Self.expect(.notPermitted, grant) { _ = try await store.commit([Self.creation()]) }
        // Someone has emptied a table.
        try await server.sql("delete from signet.meta", in: empty)
        await Self.expect(.schemaMissing, setup) { _ = try await owner.prepare(workspace: Self.workspace) }
        for store in [wrong, nowhere, store, owner] { await store.close() }
    }

    @Test func whoIsRefusedForTheFormatBindsNothing() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let store = try Self.store(server.url(database))
        try await server.sql("update signet.meta set format = format + 98", in: database)
        await Self.expect(.newerFormat, "use a newer version") { _ = try await store.prepare(workspace: [9]) }
        try await server.sql("update signet.meta set format = format - 98", in: database)
        _ = try await store.prepare(workspace: Self.workspace)
        await store.close()
    }

    @Test func theDatabaseOfAnotherWorkspaceAndANewerFormatAreRefused() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let store = try Self.store(server.url(database))
        #expect(try await store.prepare(workspace: Self.workspace).value == SharedFormat(written: 1))
        await Self.expect(.workspaceMismatch, "use another database") { _ = try await store.prepare(workspace: [9]) }
        try await server.sql("update signet.meta set format = 2", in: database)
        await Self.expect(.newerFormat, "use a newer version") {
            _ = try await store.prepare(workspace: Self.workspace)
        }
        await Self.expect(.newerFormat, "upgrade with the newer version of Signet") {
            _ = try await store.upgrade(finish: true)
        }
        await store.close()
    }

    @Test func theEndOfAnUpgradeMovesTheFormatAndTheRowsStay() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let (store, other) = (try Self.store(server.url(database)), try Self.store(server.url(database)))
        _ = try await store.prepare(workspace: Self.workspace)
        let creation = Self.creation()
        _ = try await store.commit([creation])
        // As the version before has left it.
        try await server.sql("update signet.meta set format = format - 1", in: database)
        let older = PostgresStore.newestFormat - 1
        #expect(try await store.prepare(workspace: Self.workspace).value == SharedFormat(written: older))
        #expect(try await other.upgrade(finish: false) == older)
        #expect(try await store.prepare(workspace: Self.workspace).value == SharedFormat(written: older))
        #expect(try await other.upgrade(finish: true) == PostgresStore.newestFormat)
        // The next question of a replica that runs.
        let written = try await store.prepare(workspace: Self.workspace).value
        #expect(written == SharedFormat(written: PostgresStore.newestFormat))
        #expect(try await other.upgrade(finish: true) == PostgresStore.newestFormat)
        #expect(try await store.read([creation.key]).value.map(\.tag) == [creation.tag])
        await store.close()
        await other.close()
    }

    @Test func twoWorkspacesAtOnceBindOne() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let store = try Self.store(server.url(database), connections: 8)
        let bound = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<16 {
                group.addTask { await Self.code { _ = try await store.prepare(workspace: [UInt8(number)]) } == nil }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(bound == 1)
        await store.close()
    }

    @Test func settingUpTwiceAtOnceAndAgainIsHarmless() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase(withTables: false)
        let store = try Self.store(server.url(database), connections: 4)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { try await store.setup() } }
            try await group.waitForAll()
        }
        try await store.setup()
        #expect(try await store.upgrade(finish: true) == 1)
        let report = try await store.check()
        #expect(report.missing.isEmpty && report.format == 1 && !report.isBound && !report.isEncrypted)
        await store.close()
    }

    @Test func aServerWithoutTLSIsNotTrusted() async throws {
        let server = try await PostgresServer.shared()
        let store = try Self.store(
            Secret("postgres://postgres@127.0.0.1:\(server.port)/postgres?sslmode=verify-full&sslrootcert=/dev/null")
        )
        await Self.expect(.secureConnectionFailed, "check the server's certificate") { _ = try await store.read([]) }
        await store.close()
    }

    /// Longer or shorter: the store sets its own for each statement.
    @Test func theStatementTimeoutOfTheDatabaseDoesNotMatter() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        try await server.sql("alter database \(database) set statement_timeout = 200", in: database)
        let store = try Self.store(server.url(database), connections: 1)
        #expect(try await store.answer(PostgresStatement("select pg_sleep(0.5)"), until: store.deadline).count == 1)
        #expect(try await store.commit([Self.creation()]).value == [.committed])
        await store.close()
    }

    /// The server ends it: the connection is free, and nothing has happened.
    @Test func aStatementThatTakesLongerThanItsCallerWaitsHasChangedNothing() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let store = try Self.store(server.url(database), connections: 1)
        let slow = PostgresStatement(
            "with s as materialized (select pg_sleep(100)) insert into signet.mention select 1, $1 from s",
            .uuid(UUID())
        )
        let deadline = store.deadline - .seconds(59)
        await Self.expect(.unreachable, "has undone it") { _ = try await store.answer(slow, until: deadline) }
        #expect(try await store.mentionedUsers(after: nil, limit: 9).value.isEmpty)
        await store.close()
    }

    @Test func anAnswerThatIsLostIsFoundByItsTag() async throws {
        let server = try await PostgresServer.shared()
        let proxy = try TCPProxy(to: server.port)
        let database = try await server.makeDatabase()
        let store = try Self.store(server.url(database, port: proxy.port), connections: 1, limit: .seconds(2))
        let creation = Self.creation()
        _ = try await Self.answered(isRepeatable: true) { try await store.commit([creation]) }
        for mode in [TCPProxy.Mode.dropsReplies(after: 0), .resetsReplies] {
            let row = try #require(
                try await Self.answered(isRepeatable: true) { try await store.read([creation.key]) }.value.first
            )
            let commit = SharedCommit(row.id, key: row.key, if: .tag(row.tag), tag: UUID(), state: [2])
            // The connection has prepared the statement: the reply that gets lost is that of the commit.
            _ = try await Self.answered(isRepeatable: true) { try await store.commit([creation]) }
            proxy.set(mode)
            let code = await Self.code { _ = try await Self.answered { try await store.commit([commit]) } }
            #expect(code == .outcomeUnknown)
            proxy.set(.passes)
            let direct = try Self.store(server.url(database))
            await until("the server has carried out what it was sent") {
                (try? await direct.read([row.key]).value.first?.tag) == commit.tag
            }
            let again = try await Self.answered { try await store.commit([commit]) }.value
            guard case .differs(let found) = again.first else {
                Issue.record("the repetition was \(again)")
                continue
            }
            #expect(found?.tags.contains(commit.tag) == true)
            await direct.close()
        }
        await store.close()
    }

    /// Repeats a call that was not sent, or one that may be made twice: a busy machine may not answer within the short limit.
    private static func answered<Value: Sendable>(
        isRepeatable: Bool = false,
        _ call: () async throws -> Value
    ) async throws -> Value {
        for _ in 1..<20 {
            do {
                return try await call()
            } catch let error as SharedStoreError
                where error.code == .unreachable || (isRepeatable && error.code == .outcomeUnknown)
            {
                continue
            }
        }
        return try await call()
    }

    @Test func aCancelledCallReturnsWhileTheServerStillWorks() async throws {
        let server = try await PostgresServer.shared()
        let store = try Self.store(server.url(), connections: 1)
        _ = try await store.read([])
        let code = await withTaskGroup(of: SharedStoreError.Code?.self) { group in
            group.addTask {
                await Self.code {
                    _ = try await store.answer(PostgresStatement("select pg_sleep(100)"), until: store.deadline)
                }
            }
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(code == .cancelled)
        await store.close()
    }

    @Test func aClosedStoreIsNotReached() async throws {
        let server = try await PostgresServer.shared()
        let store = try Self.store(server.url())
        _ = try await store.read([])
        await store.close()
        await store.close()
        await Self.expect(.unreachable, "the store was closed") { _ = try await store.read([]) }
    }

    @Test func noServerIsUnreachableAtOnce() async throws {
        let dead = try DeadPort()
        let store = try Self.store(Secret("postgres://127.0.0.1:\(dead.number)/shop"))
        defer { withExtendedLifetime(dead) {} }
        // It says where there is none.
        await Self.expect(.unreachable, "\(dead.number)") { _ = try await store.read([]) }
        await store.close()
    }
}
#endif
