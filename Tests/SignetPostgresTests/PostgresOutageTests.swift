// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing

import struct Foundation.UUID

@testable import SignetPostgres

/// A server of their own that stops, stands still, and has no connection left.
@Suite(.watched, .serialized) struct PostgresOutageTests {
    @Test func aServerThatStopsAndStartsIsUnreachableAndThenThereAgain() async throws {
        let server = try await PostgresServer.start()
        let database = try await server.makeDatabase()
        let store = try PostgresBadDaysTests.store(server.url(database))
        let creation = PostgresBadDaysTests.creation()
        _ = try await store.commit([creation])
        try await server.stop()
        let code = await PostgresBadDaysTests.code { _ = try await store.commit([PostgresBadDaysTests.creation()]) }
        #expect(code == .unreachable)
        try await server.start()
        await until("the store has connected again") {
            (try? await store.read([creation.key]).value.count) == 1
        }
        await store.close()
    }

    @Test func aServerThatStandsStillIsGivenUpAtTheLimit() async throws {
        let server = try await PostgresServer.start()
        let database = try await server.makeDatabase()
        let store = try PostgresBadDaysTests.store(server.url(database), connections: 1, limit: .seconds(1))
        await until("the store has connected") { (try? await store.read([])) != nil }
        try await server.signal("STOP")
        let began = ContinuousClock.now
        async let sent = PostgresBadDaysTests.code { _ = try await store.commit([PostgresBadDaysTests.creation()]) }
        async let unsent = PostgresBadDaysTests.code { _ = try await store.read([UUID()]) }
        let codes = await [sent, unsent]
        #expect(Set(codes) == [.outcomeUnknown, .unreachable])
        #expect(began.duration(to: .now) >= .seconds(1))
        try await server.signal("CONT")
        await until("the store has connected again") { (try? await store.read([])) != nil }
        await store.close()
    }

    @Test func aServerWithoutAFreeConnectionIsUnreachableButThoseThereGoOn() async throws {
        let server = try await PostgresServer.start(settings: [
            "max_connections = 5", "superuser_reserved_connections = 0",
        ])
        let database = try await server.makeDatabase()
        let first = try PostgresBadDaysTests.store(server.url(database), connections: 8)
        await until("a connection of the five is there") { (try? await first.read([])) != nil }
        // Eight connections are wanted, and at most five come; every call is answered.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    _ = try await first.answer(PostgresStatement("select pg_sleep(0.05)"), until: first.deadline)
                }
            }
            try await group.waitForAll()
        }
        let second = try PostgresBadDaysTests.store(server.url(database), connections: 1)
        await PostgresBadDaysTests.expect(.unreachable, "raise max_connections or use fewer") {
            _ = try await second.read([])
        }
        for store in [first, second] { await store.close() }
    }
}
#endif
