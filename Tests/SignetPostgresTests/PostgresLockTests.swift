// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing

import struct Foundation.UUID

@testable import SignetPostgres

/// A transaction of somebody else that stays open, and a standby that is away: never more processes of the server than connections.
@Suite(.watched, .serialized) struct PostgresLockTests {
    private static let connections = 3

    /// The way to the server.
    enum Way: CaseIterable {
        case direct, pooler
    }

    /// A store with the limit that apps have, and a name by which the server counts its processes.
    private static func store(_ server: PostgresServer, _ database: String, _ way: Way) async throws -> PostgresStore {
        let port = way == .pooler ? try await server.startBouncer(for: database) : nil
        let url = server.url(database, port: port).withExposed { Secret("\($0)?application_name=counted") }
        let store = try PostgresStore(url, connections: Self.connections, limit: .seconds(1))
        await until("the store has connected") { (try? await store.read([])) != nil }
        return store
    }

    private static func row(_ store: PostgresStore, _ session: UUID = UUID()) async throws -> SharedCommit {
        var creation = PostgresBadDaysTests.creation()
        creation.session = .begin(.init(id: session, started: 1, last: 1, events: 0))
        let commit = creation
        try await until("the row is there") {
            do throws(SharedStoreError) {
                return try await !store.commit([commit]).value.isEmpty
            } catch {
                // A busy machine.
                guard [.unreachable, .outcomeUnknown].contains(error.code) else { throw error }
                return false
            }
        }
        return commit
    }

    /// Repeats a call that a busy machine has not answered in time; it may be made twice.
    private static func patiently<Value: Sendable>(_ call: () async throws -> Value) async throws -> Value {
        for _ in 1..<20 {
            do {
                return try await call()
            } catch let error as SharedStoreError where [.unreachable, .outcomeUnknown].contains(error.code) {
                continue
            }
        }
        return try await call()
    }

    private static func change(_ row: SharedCommit) -> SharedCommit {
        SharedCommit(row.id, key: row.key, if: .tag(row.tag), tag: UUID(), state: [2])
    }

    /// Locks rows for the duration of a body, as a person at `psql` does.
    private static func locking(
        _ what: String,
        in database: String,
        of server: PostgresServer,
        _ body: () async throws -> Void
    ) async throws {
        let other = try PostgresBadDaysTests.store(server.url(database))
        let lock = PostgresStatement(script: "\(what); select pg_sleep(300)")
        async let held = PostgresBadDaysTests.code {
            _ = try await other.answer(lock, until: other.deadline + .seconds(300))
        }
        let sleeps = "datname = '\(database)' and wait_event = 'PgSleep'"
        let direct = try PostgresBadDaysTests.store(server.url())
        try await until("the lock is held") {
            let sleeping = PostgresStatement("select pid from pg_stat_activity where \(sleeps)")
            return try await direct.answer(sleeping, until: direct.deadline).count > 0
        }
        let result = await Result(catching: body)
        try await server.sql("select pg_terminate_backend(pid) from pg_stat_activity where \(sleeps)")
        _ = await held
        for store in [other, direct] { await store.close() }
        try result.get()
    }

    /// The number of the server's processes that work for the store, or wait.
    private static func processes(_ server: PostgresServer, _ database: String) async throws -> Int {
        let store = try PostgresBadDaysTests.store(server.url(), connections: 1)
        let statement = PostgresStatement(
            "select pid from pg_stat_activity where datname = '\(database)' and application_name = 'counted'"
        )
        let count = try await store.answer(statement, until: store.deadline).count
        await store.close()
        return count
    }

    @Test(arguments: Way.allCases)
    func aLockedRowStopsNoOtherRow(way: Way) async throws {
        let server = try await PostgresServer.start()
        let database = try await server.makeDatabase()
        let store = try await Self.store(server, database, way)
        let session = UUID()
        let (locked, free) = (try await Self.row(store, session), try await Self.row(store, session))
        let (replica, token) = (UUID(), UUID())
        let activities = [locked, free].map { SharedActivity(key: $0.key, session: session, last: 9, events: 2) }
        let lock = "select 1 from signet.live where k = '\(locked.key)' for update"
        try await Self.locking(lock, in: database, of: server) {
            // Twice: the second one is a repetition, and says the same.
            for _ in 0..<2 {
                let outcomes = try await Self.patiently {
                    try await store.flush(activities, of: replica, token: token, age: .zero).value
                }
                #expect(outcomes == [.isLocked, .added(tag: free.tag)])
            }
            let skipped = try await Self.patiently {
                try await store.replicas().value.first { $0.id == replica }?.skipped
            }
            #expect(skipped == [locked.key])
            let events = try await Self.patiently { try await store.read([free.key]).value.first?.session?.events }
            #expect(events == 2)
            let wish = SharedSlotRequest(key: locked.key, token: UUID(), owner: UUID())
            for _ in 0..<3 {
                async let refused = PostgresBadDaysTests.code { _ = try await store.commit([Self.change(locked)]) }
                async let slot = PostgresBadDaysTests.code { _ = try await store.takeSlot(wish, for: .seconds(9)) }
                let codes = await [refused, slot]
                // The second one to wait has its time for a lock after the first one has gone, and a busy machine answers late.
                #expect(codes.allSatisfy { [.locked, .unreachable, .outcomeUnknown].contains($0) })
            }
            let processes = try await Self.processes(server, database)
            #expect(processes <= Self.connections)
            let change = Self.change(free)
            let committed = try await Self.patiently { try await store.commit([change]).value.first }
            if case .differs(let row) = committed { #expect(row?.tag == change.tag) }
        }
        let next = UUID()
        let outcomes = try await Self.patiently {
            try await store.flush(activities, of: replica, token: next, age: .zero).value
        }
        #expect(outcomes.first == .added(tag: locked.tag))
        let skipped = try await Self.patiently { try await store.replicas().value.first { $0.id == replica }?.skipped }
        #expect(skipped == [])
        let events = try await Self.patiently { try await store.read([locked.key]).value.first?.session?.events }
        #expect(events == 2)
        await store.close()
    }

    /// Two that wait together are one statement; the row of one is locked.
    @Test func aCommitDoesNotWaitForTheLockedRowOfAnother() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let store = try PostgresStore(server.url(database), connections: 1, limit: .seconds(4))
        let (locked, free) = (try await Self.row(store), try await Self.row(store))
        let lock = "select 1 from signet.live where k = '\(locked.key)' for update"
        try await Self.locking(lock, in: database, of: server) {
            let sleep = PostgresStatement("select pg_sleep(0.3)")
            async let busy = store.answer(sleep, until: store.deadline)
            async let first = PostgresBadDaysTests.code { _ = try await store.commit([Self.change(locked)]) }
            async let second = store.commit([Self.change(free)]).value
            let (code, outcomes) = (await first, try await second)
            #expect(code == .locked)
            #expect(outcomes == [.committed])
            _ = try await busy
        }
        await store.close()
    }

    /// A migration, or `vacuum full`.
    @Test(arguments: Way.allCases)
    func aLockedTableLeavesNoProcesses(way: Way) async throws {
        let server = try await PostgresServer.start()
        let database = try await server.makeDatabase()
        let store = try await Self.store(server, database, way)
        let row = try await Self.row(store)
        try await Self.locking("lock table signet.live in access exclusive mode", in: database, of: server) {
            for _ in 0..<3 {
                async let reading = PostgresBadDaysTests.code { _ = try await store.read([row.key]) }
                async let commit = PostgresBadDaysTests.code { _ = try await store.commit([Self.change(row)]) }
                let (read, committed) = await (reading, commit)
                #expect([.locked, .unreachable].contains(read))
                // On a busy machine the time of the call may be over before the server's answer.
                #expect([.locked, .unreachable, .outcomeUnknown].contains(committed))
                let processes = try await Self.processes(server, database)
                #expect(processes <= Self.connections)
            }
        }
        await until("the table is free") { (try? await store.commit([Self.change(row)]).value) == [.committed] }
        await store.close()
    }

    /// Readings and flushes do not wait for it.
    @Test(arguments: Way.allCases)
    func whileASynchronousStandbyIsAwayReadingsGoOn(way: Way) async throws {
        let server = try await PostgresServer.start()
        let database = try await server.makeDatabase()
        let store = try await Self.store(server, database, way)
        let row = try await Self.row(store)
        try await server.sql("alter system set synchronous_standby_names = 'nobody'")
        try await server.sql("select pg_reload_conf()")
        await until("a commit waits for the standby") {
            await PostgresBadDaysTests.code { _ = try await store.commit([PostgresBadDaysTests.creation()]) } != nil
        }
        var codes: [SharedStoreError.Code?] = []
        for _ in 0..<12 {
            codes.append(
                await PostgresBadDaysTests.code { _ = try await store.commit([PostgresBadDaysTests.creation()]) }
            )
            let processes = try await Self.processes(server, database)
            #expect(processes <= Self.connections)
        }
        #expect(codes.first == .outcomeUnknown)
        #expect(codes.dropFirst().allSatisfy { $0 == .unreachable })
        await PostgresBadDaysTests.expect(.unreachable, "synchronous standby") {
            _ = try await store.commit([Self.change(row)])
        }
        await until("a reading") { (try? await store.read([row.key]).value.first?.tag) == row.tag }
        await until("a flush") { (try? await store.flush([], of: UUID(), token: UUID(), age: .zero)) != nil }
        // A replica that starts meanwhile.
        await until("a replica joins") {
            let prepared = try? await store.prepare(workspace: [1])
            let joined = try? await store.join(UUID(), token: UUID())
            return prepared != nil && joined != nil
        }
        // Longer than until the server is asked about them: it still works on them.
        for _ in 0..<4 {
            let code = await PostgresBadDaysTests.code {
                _ = try await store.answer(PostgresStatement("select pg_sleep(0.8)"), until: store.deadline)
            }
            #expect(code == nil || code == .unreachable)
        }
        let processes = try await Self.processes(server, database)
        #expect(processes <= Self.connections)
        let code = await PostgresBadDaysTests.code { _ = try await store.commit([Self.change(row)]) }
        #expect(code == .unreachable)
        try await server.sql("alter system reset synchronous_standby_names")
        try await server.sql("select pg_reload_conf()")
        await until("the commits are through") { (try? await store.commit([Self.change(row)]).value) == [.committed] }
        await store.close()
    }

    /// The way back is broken, and no packet says so.
    @Test func aCommitWhoseAnswerIsLostFreesItsConnection() async throws {
        let server = try await PostgresServer.shared()
        let proxy = try TCPProxy(to: server.port)
        let database = try await server.makeDatabase()
        let store = try PostgresStore(server.url(database, port: proxy.port), connections: 2, limit: .seconds(1))
        let row = try await Self.row(store)
        await until("both connections are there") {
            async let first = try? store.answer(PostgresStatement("select pg_sleep(0.1)"), until: store.deadline)
            async let second = try? store.read([])
            let answers = await (first, second)
            return answers.0 != nil && answers.1 != nil
        }
        proxy.set(.dropsReplies(after: 0))
        let code = await PostgresBadDaysTests.code { _ = try await store.commit([Self.change(row)]) }
        #expect(code == .outcomeUnknown)
        proxy.set(.passes)
        await until("a commit") { (try? await store.commit([PostgresBadDaysTests.creation()]).value) == [.committed] }
        await store.close()
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
#endif
