// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing

import struct Foundation.UUID

@testable import SignetPostgres

/// Statements that several calls share, and those that a connection prepares.
@Suite(.watched) struct PostgresStatementTests {
    /// Carries out calls that have waited together for the only connection.
    private static func together<Value: Sendable>(
        _ store: PostgresStore,
        _ calls: [@Sendable () async throws -> Value]
    ) async -> [Result<Value, any Error>] {
        await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            async let pause: PostgresResult? = try? store.answer(
                PostgresStatement("select pg_sleep(0.3)"),
                until: store.deadline
            )
            for (index, call) in calls.enumerated() {
                group.addTask {
                    do { return (index, .success(try await call())) } catch { return (index, .failure(error)) }
                }
            }
            var results: [Int: Result<Value, any Error>] = [:]
            for await (index, result) in group { results[index] = result }
            _ = await pause
            return calls.indices.compactMap { results[$0] }
        }
    }

    /// The number of times that a prepared statement of the only connection was carried out.
    private static func uses(_ store: PostgresStore, of words: String) async throws -> Int64 {
        let statement = PostgresStatement(
            """
            select coalesce(sum(generic_plans + custom_plans), 0)::bigint from pg_prepared_statements
            where name like 'signet_%' and statement like '%\(words)%'
            """
        )
        return try await store.answer(statement, until: store.deadline).rows.first?.integer(0) ?? -1
    }

    private static func store(_ server: PostgresServer, _ database: String) async throws -> PostgresStore {
        let store = try PostgresBadDaysTests.store(server.url(database), connections: 1)
        _ = try await store.read([UUID()])
        return store
    }

    @Test func commitsThatWaitTogetherAreOneStatementAndEachHasItsOutcome() async throws {
        let server = try await PostgresServer.shared()
        let store = try await Self.store(server, try await server.makeDatabase())
        let creations = (0..<20).map { _ in PostgresBadDaysTests.creation() }
        _ = try await store.commit([creations[0]])
        let before = try await Self.uses(store, of: "insert into signet.live")
        let results = await Self.together(
            store,
            creations.map { creation in { @Sendable in try await store.commit([creation]).value } }
        )
        for (index, result) in results.enumerated() {
            let outcome = try #require(try result.get().first)
            if index == 0 {
                guard case .differs(let row) = outcome else {
                    Issue.record("the row was made twice")
                    continue
                }
                #expect(row?.tag == creations[0].tag)
            } else {
                #expect(outcome == .committed)
            }
        }
        #expect(try await store.read(creations.map(\.key)).value.count == creations.count)
        #expect(try await Self.uses(store, of: "insert into signet.live") - before < 10)
        await store.close()
    }

    @Test func slotsThatAreWantedTogetherAreOneStatementAndEachHasItsOutcome() async throws {
        let server = try await PostgresServer.shared()
        let store = try await Self.store(server, try await server.makeDatabase())
        let creations = (0..<20).map { _ in PostgresBadDaysTests.creation() }
        _ = try await store.commit(creations)
        let wishes = creations.map { SharedSlotRequest(key: $0.key, token: UUID(), owner: UUID()) }
        let other = SharedSlotRequest(key: creations[0].key, token: UUID(), owner: UUID())
        _ = try await store.takeSlot(other, for: .seconds(60))
        _ = try await store.takeSlot(wishes[1], for: .seconds(60))
        let before = try await Self.uses(store, of: "set slot = w.token")
        let results = await Self.together(
            store,
            wishes.enumerated().map { index, wish in
                { @Sendable in
                    // The second has it, and the third lost it before.
                    index < 3
                        ? try await store.renewSlot(wish, for: .seconds(60)).value
                        : try await store.takeSlot(wish, for: .seconds(60)).value
                }
            }
        )
        for (index, result) in results.enumerated() {
            switch try result.get() {
            case .taken(let row):
                #expect(index == 1 || index > 2)
                #expect(row.slot?.token == wishes[index].token)
                #expect(row.id == creations[index].id)
            case .held(let row):
                #expect(index == 0 || index == 2)
                #expect(row.slot?.token == (index == 0 ? other.token : nil))
            case .isMissing:
                Issue.record("row \(index) is missing")
            }
        }
        #expect(try await Self.uses(store, of: "set slot = w.token") - before < 10)
        await store.close()
    }

    @Test func aRowThatTheServerRefusesFailsAlone() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let store = try await Self.store(server, database)
        try await server.sql("alter table signet.installation add check (state <> '\\x0d'::bytea)", in: database)
        var creations = (0..<20).map { _ in PostgresBadDaysTests.creation() }
        let key = UUID()
        creations[7] = SharedCommit(
            InstallationID("refused-\(key)"),
            key: key,
            if: .isMissing,
            tag: UUID(),
            state: [13]
        )
        let results = await Self.together(
            store,
            creations.map { creation in { @Sendable in try await store.commit([creation]).value } }
        )
        for (index, result) in results.enumerated() {
            switch result {
            case .success(let outcomes): #expect(index != 7 && outcomes == [.committed])
            case .failure(let error): #expect(index == 7 && (error as? SharedStoreError)?.code == .failed)
            }
        }
        #expect(try await store.read(creations.map(\.key)).value.count == 19)
        await store.close()
    }

    @Test func aStatementIsPlannedOnceForAllItsUses() async throws {
        let server = try await PostgresServer.shared()
        let store = try await Self.store(server, try await server.makeDatabase())
        var creation = PostgresBadDaysTests.creation()
        _ = try await store.commit([creation])
        for number in 0..<20 {
            let next = SharedCommit(creation.id, key: creation.key, if: .tag(creation.tag), tag: UUID(), state: [1])
            #expect(try await store.commit([next]).value == [.committed])
            let wish = SharedSlotRequest(key: creation.key, token: UUID(), owner: UUID())
            _ = try await store.takeSlot(wish, for: .seconds(60))
            _ = try await store.releaseSlot(wish)
            _ = try await store.read([creation.key] + (0..<number).map { _ in UUID() })
            creation = next
        }
        let plans = try await store.answer(
            PostgresStatement(
                "select name, generic_plans, custom_plans from pg_prepared_statements where name like 'signet_%'"
            ),
            until: store.deadline
        )
        // The fourth sets the limits of each.
        #expect(plans.rows.count == 4)
        for row in plans.rows {
            // The server tries five plans of its own before it keeps one.
            #expect(row.integer(2) == 5)
            #expect(row.integer(1) >= 15)
        }
        await store.close()
    }

    @Test func aSessionThatHasLostItsStatementsIsNoFailure() async throws {
        let server = try await PostgresServer.shared()
        let store = try await Self.store(server, try await server.makeDatabase())
        let creation = PostgresBadDaysTests.creation()
        _ = try await store.commit([creation])
        // As behind a pooler that gives the next statement to another session.
        _ = try await store.answer(PostgresStatement("deallocate all"), until: store.deadline)
        #expect(try await store.read([creation.key]).value.count == 1)
        let next = SharedCommit(creation.id, key: creation.key, if: .tag(creation.tag), tag: UUID(), state: [1])
        #expect(try await store.commit([next]).value == [.committed])
        #expect(try await Self.uses(store, of: "signet.live") == 0)
        await store.close()
    }

    @Test func aSessionThatKnowsAStatementAlreadyIsNoFailure() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let store = try PostgresBadDaysTests.store(server.url(database), connections: 1)
        guard case .prepared(let name) = PostgresStatement(reading: []).form else {
            Issue.record("the statement has no name")
            return
        }
        _ = try await store.answer(PostgresStatement("prepare \(name) as select 1"), until: store.deadline)
        #expect(try await store.read([UUID()]).value.isEmpty)
        await store.close()
    }
}
#endif
