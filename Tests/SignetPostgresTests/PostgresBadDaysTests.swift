// SPDX-License-Identifier: Apache-2.0

#if PostgresStore
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

    /// The error of a call; it must name what to do.
    static func code(_ body: () async throws -> Void) async -> SharedStoreError.Code? {
        do {
            try await body()
            return nil
        } catch let error as SharedStoreError {
            #expect(!error.description.contains("hunter2"))
            return error.code
        } catch {
            Issue.record(error)
            return nil
        }
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
        #expect(await Self.code { _ = try await wrong.prepare(workspace: Self.workspace) } == .notPermitted)
        let nowhere = try Self.store(server.url("signet_nowhere"))
        #expect(await Self.code { _ = try await nowhere.prepare(workspace: Self.workspace) } == .schemaMissing)
        let store = try Self.store(server.url(empty, user: "shop", password: "right"))
        #expect(await Self.code { _ = try await store.prepare(workspace: Self.workspace) } == .schemaMissing)
        #expect(await Self.code { _ = try await store.read([UUID()]) } == .schemaMissing)
        #expect(try await store.check().missing.contains("select on signet.live"))
        // The tables are another user's.
        let owner = try Self.store(server.url(empty))
        try await owner.setup()
        #expect(await Self.code { _ = try await store.prepare(workspace: Self.workspace) } == .notPermitted)
        #expect(await Self.code { _ = try await store.commit([Self.creation()]) } == .notPermitted)
        for store in [wrong, nowhere, store, owner] { await store.close() }
    }

    @Test func whoIsRefusedForTheFormatBindsNothing() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let store = try Self.store(server.url(database))
        try await server.sql("update signet.meta set format = format + 98", in: database)
        #expect(await Self.code { _ = try await store.prepare(workspace: [9]) } == .newerFormat)
        try await server.sql("update signet.meta set format = format - 98", in: database)
        _ = try await store.prepare(workspace: Self.workspace)
        await store.close()
    }

    @Test func theDatabaseOfAnotherWorkspaceAndANewerFormatAreRefused() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let store = try Self.store(server.url(database))
        #expect(try await store.prepare(workspace: Self.workspace).value == SharedFormat(written: 1))
        #expect(await Self.code { _ = try await store.prepare(workspace: [9]) } == .workspaceMismatch)
        try await server.sql("update signet.meta set format = 2", in: database)
        #expect(await Self.code { _ = try await store.prepare(workspace: Self.workspace) } == .newerFormat)
        #expect(await Self.code { _ = try await store.upgrade(finish: true) } == .newerFormat)
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
        #expect(await Self.code { _ = try await store.read([]) } == .secureConnectionFailed)
        await store.close()
    }

    @Test func aStatementTimeoutOfTheServerIsAFailureThatChangedNothing() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let store = try Self.store(server.url(database))
        let creation = Self.creation()
        _ = try await store.commit([creation])
        // Another store, as no statement but the one that blocks may be slower: the machine may have much to do.
        try await server.sql("alter database \(database) set statement_timeout = 300", in: database)
        let hasty = try Self.store(server.url(database), connections: 1)
        let blocked = await Self.code {
            _ = try await hasty.answer(PostgresStatement("select pg_sleep(100)"), until: hasty.deadline)
        }
        #expect(blocked == .failed)
        await hasty.close()
        try await server.sql("alter database \(database) reset statement_timeout", in: database)
        #expect(try await store.read([creation.key]).value.count == 1)
        await store.close()
    }

    @Test func anAnswerThatIsLostIsFoundByItsTag() async throws {
        let server = try await PostgresServer.shared()
        let proxy = try TCPProxy(to: server.port)
        let database = try await server.makeDatabase()
        let store = try Self.store(server.url(database, port: proxy.port), connections: 1, limit: .seconds(2))
        let creation = Self.creation()
        _ = try await Self.answered { try await store.commit([creation]) }
        for mode in [TCPProxy.Mode.dropsReplies(after: 0), .resetsReplies] {
            let row = try #require(try await Self.answered { try await store.read([creation.key]) }.value.first)
            let commit = SharedCommit(row.id, key: row.key, if: .tag(row.tag), tag: UUID(), state: [2])
            // The connection has prepared the statement: the reply that gets lost is that of the commit.
            _ = try await Self.answered { try await store.commit([creation]) }
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

    /// Repeats a call that was not sent: a busy machine may not find the connection free within the short limit.
    private static func answered<Value: Sendable>(
        _ call: () async throws -> Value
    ) async throws -> Value {
        for _ in 1..<20 {
            do {
                return try await call()
            } catch let error as SharedStoreError where error.code == .unreachable {
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
        #expect(await Self.code { _ = try await store.read([]) } == .unreachable)
    }

    @Test func noServerIsUnreachableAtOnce() async throws {
        let dead = try DeadPort()
        let store = try Self.store(Secret("postgres://127.0.0.1:\(dead.number)/shop"))
        defer { withExtendedLifetime(dead) {} }
        #expect(await Self.code { _ = try await store.read([]) } == .unreachable)
        await store.close()
    }
}
#endif
